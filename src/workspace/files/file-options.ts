// The arguments of file operations as in Node: data, encodings, flags, modes and options. Options
// of Node that aren't listed here are refused with a message, never ignored.

/** Node's encodings, case-insensitive. Any other fails with `ERR_INVALID_ARG_VALUE`. */
export type Encoding =
  | 'utf8'
  | 'utf-8'
  | 'utf16le'
  | 'utf-16le'
  | 'ucs2'
  | 'ucs-2'
  | 'latin1'
  | 'binary'
  | 'ascii'
  | 'base64'
  | 'base64url'
  | 'hex';

/**
 * How a file is opened: Node's strings, or a sum of the {@link fileConstants} that begin with `O_`.
 */
export type OpenFlag =
  | 'r'
  | 'rs'
  | 'r+'
  | 'rs+'
  | 'w'
  | 'wx'
  | 'w+'
  | 'wx+'
  | 'a'
  | 'ax'
  | 'a+'
  | 'ax+'
  | 'as'
  | 'as+'
  | number;

/** Permission bits, or their octal digits. New nodes get them without 0o022, Node's usual umask. */
export type FileMode = number | string;

/** Data to write. Bytes are copied, so the caller may reuse its buffer. */
export type FileData = string | ArrayBufferView;

/** Seconds, as a number or digits, or a Date. */
export type FileTime = number | string | Date;

/** Requests text. Bytes that aren't UTF-8 become U+FFFD, as in Node. */
export type EncodingOption =
  Encoding | { readonly encoding: Encoding; readonly flag?: OpenFlag | undefined };

/** Requests bytes, which is the default. They belong to the caller. */
export type BinaryOption = {
  readonly encoding?: null | undefined;
  readonly flag?: OpenFlag | undefined;
} | null;

/** For writing and appending. An encoding alone may be given in place of the options. */
export type WriteFileOptions =
  | Encoding
  | null
  | {
      /** The encoding of a string. @defaultValue `utf8` */
      readonly encoding?: Encoding | null | undefined;
      /** The mode of a new file. @defaultValue 0o666 */
      readonly mode?: FileMode | undefined;
      readonly flag?: OpenFlag | undefined;
      /** Accepted without effect: a commit is flushed according to its durability. */
      readonly flush?: boolean | undefined;
    };

/** A mode alone may be given in place of the options. */
export type MkdirOptions =
  | FileMode
  | null
  | {
      readonly recursive?: boolean | undefined;
      /** The mode of every new directory. @defaultValue 0o777 */
      readonly mode?: FileMode | undefined;
    };

/** `maxRetries` and `retryDelay` are accepted without effect, because nothing is ever busy. */
export interface RmOptions {
  readonly recursive?: boolean | undefined;
  /** A missing path isn't an error. */
  readonly force?: boolean | undefined;
  readonly maxRetries?: number | undefined;
  readonly retryDelay?: number | undefined;
}

/** Names are text: `encoding: 'buffer'` is refused. */
export type NameOptions =
  Encoding | null | { readonly encoding?: Encoding | null | undefined } | undefined;

/** Requests names as UTF-8 bytes. */
export type BufferNameOptions = 'buffer' | { readonly encoding: 'buffer' };

/** With `recursive`, the result has paths below the directory. Links aren't followed. */
export interface ReaddirOptions {
  readonly recursive?: boolean | undefined;
  readonly encoding?: Encoding | null | undefined;
}

/** The options of `cp` except for the filter. */
interface CopySettings {
  /** Required for a directory. */
  readonly recursive?: boolean | undefined;
  /** Existing files are replaced; with `false` they stay. @defaultValue true */
  readonly force?: boolean | undefined;
  /** With `force: false`, an existing file is an error. */
  readonly errorOnExist?: boolean | undefined;
  /** Copies the targets of links. Access is checked at each target's real path. */
  readonly dereference?: boolean | undefined;
  readonly preserveTimestamps?: boolean | undefined;
  /** Keeps links' targets as written. Otherwise a relative target becomes absolute, as in Node. */
  readonly verbatimSymlinks?: boolean | undefined;
}

/**
 * The filter gets paths as they were given, with the names below. `false` leaves out a path and
 * everything below it.
 */
export interface CopySyncOptions extends CopySettings {
  readonly filter?: ((source: string, destination: string) => boolean) | undefined;
}

/**
 * All results of the filter are awaited before anything is copied. A function can't be sent to
 * another realm, so a filter is refused on the page, whose files are in a worker.
 */
export interface CopyOptions extends CopySettings {
  readonly filter?:
    ((source: string, destination: string) => boolean | Promise<boolean>) | undefined;
}

/** With `throwIfNoEntry: false`, returns undefined instead of `ENOENT`. */
export interface StatSyncOptions {
  readonly throwIfNoEntry?: boolean | undefined;
}

/** `persistent` is accepted without effect, because no watcher keeps a realm alive. */
export interface WatchOptions {
  /** Includes everything below a directory. */
  readonly recursive?: boolean | undefined;
  /** Ends the watching: the iterator rejects with `aborted`. */
  readonly signal?: AbortSignal | undefined;
  readonly persistent?: boolean | undefined;
}

/** An event of a watcher. */
export interface WatchEvent {
  /** `rename`: a path was created or removed. `change`: its content, mode or time has changed. */
  readonly eventType: 'rename' | 'change';
  /** Relative to the watched directory. For a watched file, its own name. */
  readonly filename: string;
}

/** The values of Node's `fs.constants` that are supported. */
export const fileConstants = {
  F_OK: 0,
  X_OK: 1,
  W_OK: 2,
  R_OK: 4,
  COPYFILE_EXCL: 1,
  COPYFILE_FICLONE: 2,
  COPYFILE_FICLONE_FORCE: 4,
  O_RDONLY: 0,
  O_WRONLY: 1,
  O_RDWR: 2,
  O_CREAT: 0o100,
  O_EXCL: 0o200,
  O_TRUNC: 0o1000,
  O_APPEND: 0o2000,
} as const;
