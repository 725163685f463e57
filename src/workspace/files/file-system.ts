// The file system port of tools and hosts. Names, options and error codes are Node's; versions,
// batch reads and walks are added. Every adapter (a draft, a replica's view, the writer's client)
// passes test/contract/file-system.
import type { Version } from '../../core/change-set.ts';
import type { BufferOptions } from './file-arguments.ts';
import type {
  BinaryOption,
  BufferNameOptions,
  CopyOptions,
  CopySyncOptions,
  Encoding,
  EncodingOption,
  FileData,
  FileMode,
  FileTime,
  MkdirOptions,
  NameOptions,
  OpenFlag,
  ReaddirOptions,
  RmOptions,
  StatSyncOptions,
  WatchEvent,
  WatchOptions,
  WriteFileOptions,
} from './file-options.ts';

/**
 * Node's `Stats`. `version` is ours. What a tree without owners, devices and inodes doesn't have is the same
 * for every path: root owns it, `ino` is 0. All times are that of the last change.
 */
export interface Stats {
  /** Bytes; a link's are those of its target's name. */
  readonly size: number;
  /** Permission and type bits, as Node has them. Nothing here is kept from anybody by them. */
  readonly mode: number;
  readonly mtimeMs: number;
  readonly mtime: Date;
  readonly atimeMs: number;
  readonly atime: Date;
  readonly ctimeMs: number;
  readonly ctime: Date;
  readonly birthtimeMs: number;
  readonly birthtime: Date;
  readonly dev: number;
  readonly ino: number;
  readonly nlink: number;
  readonly uid: number;
  readonly gid: number;
  readonly rdev: number;
  readonly blksize: number;
  readonly blocks: number;
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
   * Globs relative to `root` that beat all other rules, as ripgrep's `--glob`. A path that one of them names is visited
   * even if it is ignored or hidden. One that `!…` names is not. Where one asks for files, no others are met. The last
   * that matches decides.
   */
  readonly globs?: { readonly root: string; readonly patterns: readonly string[] };
}

/** What was read into a buffer. */
export interface ReadResult<View extends ArrayBufferView = ArrayBufferView> {
  /** 0 at the end of the file. */
  readonly bytesRead: number;
  readonly buffer: View;
}

/** What was written of a buffer or a string: always all of it. */
export interface WriteResult<Data extends FileData = FileData> {
  readonly bytesWritten: number;
  readonly buffer: Data;
}

/**
 * Node's `FileHandle`, without streams: an open path and a place in it.
 *
 * Two things differ from a descriptor of POSIX, because the tree has no inodes. A handle is the real path that it
 * opened. After a rename or a removal its operations fail with `ENOENT`, or go to a file that took the path's place.
 * And what it reads is the file as the view sees it at that moment. Each `write` replaces the file
 * as a whole, with all that is in it. In a draft it does so at once, in `Workspace.fs` as a commit
 * of its own. Many small writes to a large file are better collected.
 *
 * Operations of one handle run one after another, in the order of their calls. After `close` they
 * reject with `EBADF`, as does what the flags don't allow. Nothing is held open elsewhere: a handle
 * that is forgotten costs nothing.
 */
export interface FileHandle extends AsyncDisposable {
  /** The real path that was opened. Ours, not Node's. */
  readonly path: string;
  /** Fills the buffer from `position`, or from where the handle stands, which then moves. */
  read<View extends ArrayBufferView>(
    buffer: View,
    offset?: number | null,
    length?: number | null,
    position?: number | bigint | null,
  ): Promise<ReadResult<View>>;
  read<View extends ArrayBufferView>(
    buffer: View,
    options: BufferOptions | null,
  ): Promise<ReadResult<View>>;
  /** Without a buffer into a new one of 16 KiB. */
  read<View extends ArrayBufferView = Uint8Array>(
    options?: BufferOptions & { readonly buffer?: View | undefined },
  ): Promise<ReadResult<View>>;
  /** A gap before `position` is filled with zeros. With an appending flag always at the end. */
  write<View extends ArrayBufferView>(
    buffer: View,
    offset?: number | BufferOptions | null,
    length?: number | null,
    position?: number | null,
  ): Promise<WriteResult<View>>;
  write(
    data: string,
    position?: number | null,
    encoding?: Encoding | null,
  ): Promise<WriteResult<string>>;
  /** From where the handle stands to the end. */
  readFile(options: EncodingOption): Promise<string>;
  readFile(options?: BinaryOption): Promise<Uint8Array<ArrayBuffer>>;
  /** From where the handle stands; what is behind it stays, as in Node. */
  writeFile(data: FileData, options?: WriteFileOptions): Promise<void>;
  appendFile(data: FileData, options?: WriteFileOptions): Promise<void>;
  stat(): Promise<Stats>;
  /** `EINVAL` where the handle may not write. */
  truncate(length?: number): Promise<void>;
  /**
   * Resolves once what was written through the handle is where the view keeps it. In `Workspace.fs`
   * every write was flushed before it resolved; a draft is only as safe as its commit.
   */
  sync(): Promise<void>;
  datasync(): Promise<void>;
  chmod(mode: FileMode): Promise<void>;
  utimes(atime: FileTime, mtime: FileTime): Promise<void>;
  /** Waits for what was begun. Idempotent. */
  close(): Promise<void>;
}

/**
 * The synchronous half, for code that runs beside its files (tool workers, inline).
 *
 * Paths are absolute or relative to the view's working directory. Every failure is an SdkError
 * with Node's code, `data.path` and `data.syscall`; nothing was changed by a call that throws.
 */
export interface SyncFileSystem {
  readFileSync(path: string, options: EncodingOption): string;
  readFileSync(path: string, options?: BinaryOption): Uint8Array<ArrayBuffer>;
  /** The content itself where {@link readFileSync} copies it: it must neither be changed nor kept. */
  viewFileSync(path: string): Uint8Array;
  writeFileSync(path: string, data: FileData, options?: WriteFileOptions): void;
  appendFileSync(path: string, data: FileData, options?: WriteFileOptions): void;
  existsSync(path: string): boolean;
  /** `mode`: a sum of `R_OK`, `W_OK` and `X_OK`. @defaultValue `F_OK` */
  accessSync(path: string, mode?: number): void;
  statSync(
    path: string,
    options: StatSyncOptions & { readonly throwIfNoEntry: false },
  ): Stats | undefined;
  statSync(path: string, options?: StatSyncOptions): Stats;
  lstatSync(
    path: string,
    options: StatSyncOptions & { readonly throwIfNoEntry: false },
  ): Stats | undefined;
  lstatSync(path: string, options?: StatSyncOptions): Stats;
  readdirSync(path: string, options: ReaddirOptions & { readonly withFileTypes: true }): Dirent[];
  readdirSync(path: string, options?: ReaddirOptions | Encoding | null): string[];
  /** The first directory made with `recursive`, or undefined. */
  mkdirSync(path: string, options?: MkdirOptions): string | undefined;
  mkdtempSync(prefix: string, options?: NameOptions): string;
  rmSync(path: string, options?: RmOptions): void;
  rmdirSync(path: string): void;
  unlinkSync(path: string): void;
  renameSync(from: string, to: string): void;
  /** `mode`: `COPYFILE_EXCL` refuses to replace; sharing contents is what a copy does anyway. */
  copyFileSync(from: string, to: string, mode?: number): void;
  cpSync(from: string, to: string, options?: CopySyncOptions): void;
  realpathSync(path: string, options?: NameOptions): string;
  readlinkSync(path: string, options: BufferNameOptions): Uint8Array;
  readlinkSync(path: string, options?: NameOptions): string;
  /** The target is kept as given; a view follows it only as far as it may read. */
  symlinkSync(target: string, path: string): void;
  /**
   * A copy that costs nothing, NOT a second name of one file. The tree has no inodes, so a later write to one of the
   * two doesn't change the other. Needs read on the source, write on the target.
   */
  linkSync(existing: string, path: string): void;
  chmodSync(path: string, mode: FileMode): void;
  /** Numbers are seconds, as in Node. Access times aren't kept. */
  utimesSync(path: string, atime: FileTime, mtime: FileTime): void;
  lutimesSync(path: string, atime: FileTime, mtime: FileTime): void;
  truncateSync(path: string, length?: number): void;

  /**
   * A number for an open path, the lowest that is free, from 3 on; it means something to this object
   * only. What is said of a {@link FileHandle} holds for it.
   */
  openSync(path: string, flags?: OpenFlag | null, mode?: FileMode | null): number;
  /** The number of bytes that were read; 0 at the end. */
  readSync(
    descriptor: number,
    buffer: ArrayBufferView,
    offset?: number | BufferOptions | null,
    length?: number | null,
    position?: number | bigint | null,
  ): number;
  /** The number of bytes that were written: all of them. */
  writeSync(
    descriptor: number,
    buffer: ArrayBufferView,
    offset?: number | BufferOptions | null,
    length?: number | null,
    position?: number | null,
  ): number;
  writeSync(
    descriptor: number,
    data: string,
    position?: number | null,
    encoding?: Encoding | null,
  ): number;
  fstatSync(descriptor: number): Stats;
  ftruncateSync(descriptor: number, length?: number): void;
  fsyncSync(descriptor: number): void;
  fdatasyncSync(descriptor: number): void;
  fchmodSync(descriptor: number, mode: FileMode): void;
  futimesSync(descriptor: number, atime: FileTime, mtime: FileTime): void;
  closeSync(descriptor: number): void;

  /** As {@link FileSystem.openPath}. */
  openPathSync(path: string, flags?: OpenFlag | null, mode?: FileMode | null): string;
  /** As {@link FileSystem.readPart}. */
  readPartSync(path: string, position: number, length?: number): Uint8Array;
  /** As {@link FileSystem.writePart}. */
  writePartSync(path: string, position: number | 'end', data: FileData): number;
}

/**
 * `fs.promises`-shaped, with what tools need beyond it. What differs from Node and what isn't there is
 * listed in docs/workspace.md.
 *
 * Rejects as {@link SyncFileSystem} throws. Await an operation before the next that depends on it:
 * those that are started together may take effect in any order.
 */
export interface FileSystem {
  readFile(path: string, options: EncodingOption): Promise<string>;
  readFile(path: string, options?: BinaryOption): Promise<Uint8Array<ArrayBuffer>>;
  writeFile(path: string, data: FileData, options?: WriteFileOptions): Promise<void>;
  appendFile(path: string, data: FileData, options?: WriteFileOptions): Promise<void>;
  open(path: string, flags?: OpenFlag | null, mode?: FileMode | null): Promise<FileHandle>;
  access(path: string, mode?: number): Promise<void>;
  stat(path: string): Promise<Stats>;
  lstat(path: string): Promise<Stats>;
  readdir(
    path: string,
    options: ReaddirOptions & { readonly withFileTypes: true },
  ): Promise<Dirent[]>;
  readdir(path: string, options?: ReaddirOptions | Encoding | null): Promise<string[]>;
  mkdir(path: string, options?: MkdirOptions): Promise<string | undefined>;
  mkdtemp(prefix: string, options?: NameOptions): Promise<string>;
  rm(path: string, options?: RmOptions): Promise<void>;
  rmdir(path: string): Promise<void>;
  unlink(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  copyFile(from: string, to: string, mode?: number): Promise<void>;
  cp(from: string, to: string, options?: CopyOptions): Promise<void>;
  realpath(path: string, options?: NameOptions): Promise<string>;
  readlink(path: string, options: BufferNameOptions): Promise<Uint8Array>;
  readlink(path: string, options?: NameOptions): Promise<string>;
  symlink(target: string, path: string): Promise<void>;
  /** A copy that costs nothing, NOT a second name of one file: see {@link SyncFileSystem.linkSync}. */
  link(existing: string, path: string): Promise<void>;
  chmod(path: string, mode: FileMode): Promise<void>;
  utimes(path: string, atime: FileTime, mtime: FileTime): Promise<void>;
  lutimes(path: string, atime: FileTime, mtime: FileTime): Promise<void>;
  truncate(path: string, length?: number): Promise<void>;
  /**
   * Changes of a file, of a directory's entries, or of all below it. As in Node it listens from the
   * first `next()` on, where it rejects for a path that isn't there, until `return()` or the signal.
   *
   * A draft's view tells what is written through it; `Workspace.fs` tells every acknowledged commit,
   * whoever made it. Changes that come together may be told once for a name.
   */
  watch(path: string, options?: WatchOptions): AsyncIterableIterator<WatchEvent>;

  /**
   * What `open` does to a file, without a handle: checks, makes and cuts as the flags say. The real
   * path. With the two below it is what handles are made of, each one trip wherever the files are.
   */
  openPath(path: string, flags?: OpenFlag | null, mode?: FileMode | null): Promise<string>;
  /** Bytes from `position` on: `length` of them, or as many as there are. None beyond the end. */
  readPart(path: string, position: number, length?: number): Promise<Uint8Array>;
  /** Writes into a file that is there, in one step; the position behind what was written. */
  writePart(path: string, position: number | 'end', data: FileData): Promise<number>;
  /**
   * The contents of many files in one request, in the order asked. A file that can't be read gives
   * its error. Text costs no copy: a third of the time where contents are cached.
   */
  readMany(paths: readonly string[], encoding: Encoding): Promise<(string | Error)[]>;
  readMany(paths: readonly string[], encoding?: null): Promise<(Uint8Array | Error)[]>;
  /** All files below a directory. Links are listed, not followed. Denied files are absent. */
  walk(directory: string, options?: WalkOptions): Promise<WalkEntry[]>;
}

/** A view that runs beside its files: the same tree, in both styles. What a handler gets. */
export interface LocalFileSystem extends FileSystem {
  readonly sync: SyncFileSystem;
}
