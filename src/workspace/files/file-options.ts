// The arguments of file operations: data, encodings, flags, modes and options, as Node has them.
// Options of Node's that aren't named here are refused with a sentence, never ignored.

/** Node's encodings. Another one fails with `ERR_INVALID_ARG_VALUE`. In any case of letters. */
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

/** How a file is opened: Node's strings, or the sum of {@link fileConstants} that begin with `O_`. */
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

/** Permission bits, or their octal digits. What is made gets them without 0o022, Node's usual mask. */
export type FileMode = number | string;

/** What can be written. Bytes are copied: the caller may go on using its buffer. */
export type FileData = string | ArrayBufferView;

/** Seconds, as a number or in digits, or a date. */
export type FileTime = number | string | Date;

/** Asks for text: bytes that aren't UTF-8 become U+FFFD, as in Node. */
export type EncodingOption =
  Encoding | { readonly encoding: Encoding; readonly flag?: OpenFlag | undefined };

/** Asks for bytes, as leaving the option out does. They are the caller's own. */
export type BinaryOption = {
  readonly encoding?: null | undefined;
  readonly flag?: OpenFlag | undefined;
} | null;

/** For writing and appending. An encoding alone stands for the options that hold it. */
export type WriteFileOptions =
  | Encoding
  | null
  | {
      /** The encoding of a string. @defaultValue `utf8` */
      readonly encoding?: Encoding | null | undefined;
      /** The mode of a file that is made. @defaultValue 0o666 */
      readonly mode?: FileMode | undefined;
      readonly flag?: OpenFlag | undefined;
      /** Taken and needless: a commit is flushed as its durability says. */
      readonly flush?: boolean | undefined;
    };

/** A mode alone stands for the options that hold it. */
export type MkdirOptions =
  | FileMode
  | null
  | {
      readonly recursive?: boolean | undefined;
      /** The mode of every directory that is made. @defaultValue 0o777 */
      readonly mode?: FileMode | undefined;
    };

/** `maxRetries` and `retryDelay` are taken and needless: nothing here is ever busy. */
export interface RmOptions {
  readonly recursive?: boolean | undefined;
  /** A missing path is no error. */
  readonly force?: boolean | undefined;
  readonly maxRetries?: number | undefined;
  readonly retryDelay?: number | undefined;
}

/** Names are text: `encoding: 'buffer'` is refused. */
export type NameOptions =
  Encoding | null | { readonly encoding?: Encoding | null | undefined } | undefined;

/** The name as its bytes in UTF-8. */
export type BufferNameOptions = 'buffer' | { readonly encoding: 'buffer' };

/** `recursive`: names become paths below the directory. Links aren't entered. */
export interface ReaddirOptions {
  readonly recursive?: boolean | undefined;
  readonly encoding?: Encoding | null | undefined;
}

/** `cp` but for its filter. */
interface CopySettings {
  /** Required for a directory. */
  readonly recursive?: boolean | undefined;
  /** Files that are there are replaced; `false`: they stay. @defaultValue true */
  readonly force?: boolean | undefined;
  /** With `force: false`: a file that is there is an error. */
  readonly errorOnExist?: boolean | undefined;
  /** Copy what links lead to. Each is judged where it really stands. */
  readonly dereference?: boolean | undefined;
  readonly preserveTimestamps?: boolean | undefined;
  /** Keep links' targets as written; else a relative one is made absolute, as Node does. */
  readonly verbatimSymlinks?: boolean | undefined;
}

/** Paths as they were given, with the names below. `false`: left out, with all below. */
export interface CopySyncOptions extends CopySettings {
  readonly filter?: ((source: string, destination: string) => boolean) | undefined;
}

/**
 * All answers of the filter are waited for before anything is copied. A function can't cross to
 * another realm: on the page, where files are a worker's, a filter is refused.
 */
export interface CopyOptions extends CopySettings {
  readonly filter?:
    ((source: string, destination: string) => boolean | Promise<boolean>) | undefined;
}

/** `throwIfNoEntry: false`: undefined instead of `ENOENT`. */
export interface StatSyncOptions {
  readonly throwIfNoEntry?: boolean | undefined;
}

/** `persistent` is taken and needless: no watcher keeps a realm alive. */
export interface WatchOptions {
  /** All below a directory too. */
  readonly recursive?: boolean | undefined;
  /** Ends the watching: the iterator rejects with `aborted`. */
  readonly signal?: AbortSignal | undefined;
  readonly persistent?: boolean | undefined;
}

/** What a watcher yields. */
export interface WatchEvent {
  /** `rename`: a path came or went. `change`: what is there is another content, mode or time. */
  readonly eventType: 'rename' | 'change';
  /** From the watched directory; of a watched file its own name. */
  readonly filename: string;
}

/** The numbers of Node's `fs.constants` that the port takes. */
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
