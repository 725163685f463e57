// The port: files as tools and hosts see them. Node's names, options and error codes, so that what
// a programmer knows holds here; and what tools need beyond them: versions, batches, walks.
// Every adapter (a draft, a replica's view, the writer's client) passes test/contract/file-system.
import type { Version } from '../core/change-set.ts';

/** Node's `Stats`, without what a virtual tree doesn't have. `version` is ours. */
export interface Stats {
  /** Bytes; a link's are those of its target's name. */
  readonly size: number;
  /** Permission and type bits, as Node has them. Nothing here is kept from anybody by them. */
  readonly mode: number;
  readonly mtimeMs: number;
  readonly mtime: Date;
  /** The sequence number of the path's last change; in a draft's own changes that of its base. */
  readonly version: Version;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

/** Node's `Dirent`: an entry and its kind, a link not followed. */
export interface Dirent {
  readonly name: string;
  /** The directory that it stands in, absolute. */
  readonly parentPath: string;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

/** The only encoding; whatever else is asked for fails with `EINVAL`. */
export type Encoding = 'utf8' | 'utf-8';
/** Asks for text: bytes that are no UTF-8 become U+FFFD, as in Node. */
export type EncodingOption = Encoding | { readonly encoding: Encoding };
/** What can be written. Bytes are copied: the caller may go on using its buffer. */
export type FileData = string | Uint8Array;
/** Asks for bytes, as leaving the option out does. They are the caller's own. */
export type BinaryOption = { readonly encoding?: null } | null;

/** `recursive`: names become paths below the directory. Links aren't entered. */
export interface ReaddirOptions {
  readonly recursive?: boolean;
}

/** What a walk meets: files and links, in the order of their paths (by component, in UTF-8 order). */
export interface WalkEntry {
  readonly path: string;
  readonly type: 'file' | 'symlink';
  readonly size: number;
  readonly mtimeMs: number;
  readonly version: Version;
}

/** Which files a walk meets. */
export interface WalkOptions {
  /** Follow `.gitignore`, `.ignore` and `.rgignore` as ripgrep does inside a repository. @defaultValue true */
  readonly respectIgnore?: boolean;
  /** Names that begin with a dot. `.git` is never entered. @defaultValue false */
  readonly includeHidden?: boolean;
  /**
   * Globs relative to `root` that beat all other rules, as ripgrep's `--glob`: a path that one of
   * them names is met even if it is ignored or hidden, one that `!…` names is not. Where one asks
   * for files, no others are met. The last that matches decides.
   */
  readonly globs?: { readonly root: string; readonly patterns: readonly string[] };
}

/**
 * The synchronous half, for code that runs beside its files (tool workers, inline).
 *
 * Paths are absolute or relative to the view's working directory. Every failure is an SdkError
 * with Node's code, `data.path` and `data.syscall`; nothing was changed by a call that throws.
 */
export interface SyncFileSystem {
  readFileSync(path: string, options: EncodingOption): string;
  readFileSync(path: string, options?: BinaryOption): Uint8Array;
  writeFileSync(path: string, data: FileData): void;
  appendFileSync(path: string, data: FileData): void;
  existsSync(path: string): boolean;
  accessSync(path: string): void;
  statSync(path: string): Stats;
  lstatSync(path: string): Stats;
  readdirSync(path: string, options: ReaddirOptions & { readonly withFileTypes: true }): Dirent[];
  readdirSync(path: string, options?: ReaddirOptions): string[];
  /** The first directory made with `recursive`, or undefined. */
  mkdirSync(path: string, options?: { readonly recursive?: boolean }): string | undefined;
  mkdtempSync(prefix: string): string;
  rmSync(path: string, options?: { readonly recursive?: boolean; readonly force?: boolean }): void;
  rmdirSync(path: string): void;
  unlinkSync(path: string): void;
  renameSync(from: string, to: string): void;
  copyFileSync(from: string, to: string): void;
  cpSync(from: string, to: string, options?: { readonly recursive?: boolean }): void;
  realpathSync(path: string): string;
  readlinkSync(path: string): string;
  /** The target is kept as given; a view follows it only as far as it may read. */
  symlinkSync(target: string, path: string): void;
  chmodSync(path: string, mode: number): void;
  /** Numbers are seconds, as in Node. Access times aren't kept. */
  utimesSync(path: string, atime: number | Date, mtime: number | Date): void;
  truncateSync(path: string, length?: number): void;
}

/**
 * `fs.promises`-shaped, with what tools need beyond it.
 *
 * Rejects as {@link SyncFileSystem} throws. Await an operation before the next that depends on it:
 * those that are started together may take effect in any order.
 */
export interface FileSystem {
  readFile(path: string, options: EncodingOption): Promise<string>;
  readFile(path: string, options?: BinaryOption): Promise<Uint8Array>;
  writeFile(path: string, data: FileData): Promise<void>;
  appendFile(path: string, data: FileData): Promise<void>;
  access(path: string): Promise<void>;
  stat(path: string): Promise<Stats>;
  lstat(path: string): Promise<Stats>;
  readdir(
    path: string,
    options: ReaddirOptions & { readonly withFileTypes: true },
  ): Promise<Dirent[]>;
  readdir(path: string, options?: ReaddirOptions): Promise<string[]>;
  mkdir(path: string, options?: { readonly recursive?: boolean }): Promise<string | undefined>;
  mkdtemp(prefix: string): Promise<string>;
  rm(
    path: string,
    options?: { readonly recursive?: boolean; readonly force?: boolean },
  ): Promise<void>;
  rmdir(path: string): Promise<void>;
  unlink(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  copyFile(from: string, to: string): Promise<void>;
  cp(from: string, to: string, options?: { readonly recursive?: boolean }): Promise<void>;
  realpath(path: string): Promise<string>;
  readlink(path: string): Promise<string>;
  symlink(target: string, path: string): Promise<void>;
  chmod(path: string, mode: number): Promise<void>;
  utimes(path: string, atime: number | Date, mtime: number | Date): Promise<void>;
  truncate(path: string, length?: number): Promise<void>;

  /** The contents of many files in one go, in the order asked; one that can't be read is its error. */
  readMany(paths: readonly string[]): Promise<(Uint8Array | Error)[]>;
  /** All files below a directory. Links are listed, not followed. Denied files are absent. */
  walk(directory: string, options?: WalkOptions): Promise<WalkEntry[]>;
}

/** A view that runs beside its files: the same tree, in both styles. What a handler gets. */
export interface LocalFileSystem extends FileSystem {
  readonly sync: SyncFileSystem;
}
