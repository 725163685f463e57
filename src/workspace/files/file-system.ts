// The file system port of tools and hosts. Names, options and error codes are Node's. Versions,
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
 * Node's `Stats` with an added `version`. The tree has no owners, devices or inodes. So root owns
 * every path, and `ino` is made of the path itself: a file that is moved gets another. All times are
 * that of the last change.
 */
export interface Stats {
  /** Bytes. For a link, the bytes of its target's path. */
  readonly size: number;
  /** Permission and type bits, as in Node. The permission bits restrict nobody. */
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
  /**
   * The sequence number of the path's last change. For a change of the draft itself, that of its
   * base.
   */
  readonly version: Version;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

/** Node's `Dirent`: an entry and its kind. Links aren't followed. */
export interface Dirent {
  readonly name: string;
  /** The absolute path of the containing directory. */
  readonly parentPath: string;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

/**
 * An entry of a walk: a file or a link. Entries are ordered by path (by component, in UTF-8 order).
 */
export interface WalkEntry {
  readonly path: string;
  readonly type: 'file' | 'symlink';
  readonly size: number;
  readonly mtimeMs: number;
  readonly version: Version;
}

/** Which files a walk visits. */
export interface WalkOptions {
  /**
   * Applies `.gitignore`, `.ignore` and `.rgignore` as ripgrep does inside a repository.
   * @defaultValue true
   */
  readonly respectIgnore?: boolean;
  /** Includes names that begin with a dot. `.git` is never entered. @defaultValue false */
  readonly includeHidden?: boolean;
  /**
   * Globs relative to `root` that override all other rules, as ripgrep's `--glob`. A matching path
   * is visited even if it is ignored or hidden. A path that matches a `!…` glob isn't. If there is
   * a positive glob, only matching files are visited. The last matching glob decides.
   */
  readonly globs?: { readonly root: string; readonly patterns: readonly string[] };
}

/** The result of reading into a buffer. */
export interface ReadResult<View extends ArrayBufferView = ArrayBufferView> {
  /** 0 at the end of the file. */
  readonly bytesRead: number;
  readonly buffer: View;
}

/** The result of writing a buffer or a string: always all of it. */
export interface WriteResult<Data extends FileData = FileData> {
  readonly bytesWritten: number;
  readonly buffer: Data;
}

/**
 * Node's `FileHandle` without streams: an open path and a position in it.
 * Two things differ from a POSIX descriptor, because the tree has no inodes. First, a handle refers
 * to the real path that it opened. After a rename or removal its operations fail with `ENOENT`, or
 * use a file that has taken the path. Second, it reads the file as the view sees it at that moment,
 * and each `write` replaces the file as a whole. In a draft that happens at once; in `Workspace.fs`
 * each write is a commit. So collect many small writes to a large file.
 * Operations of one handle run one after another, in the order of their calls. After `close`, they
 * reject with `EBADF`, as do operations that the flags don't allow. No resource is held, so a
 * handle that isn't closed costs nothing.
 */
export interface FileHandle extends AsyncDisposable {
  /** The real path that was opened. Not in Node. */
  readonly path: string;
  /** Fills the buffer from `position`, or from the current position, which then advances. */
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
  /** Without a buffer, reads into a new one of 16 KiB. */
  read<View extends ArrayBufferView = Uint8Array>(
    options?: BufferOptions & { readonly buffer?: View | undefined },
  ): Promise<ReadResult<View>>;
  /**
   * A gap before `position` is filled with zeros. With an appending flag, always writes at the end.
   */
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
  /** Reads from the current position to the end. */
  readFile(options: EncodingOption): Promise<string>;
  readFile(options?: BinaryOption): Promise<Uint8Array<ArrayBuffer>>;
  /** Writes at the current position. What is behind the written data stays, as in Node. */
  writeFile(data: FileData, options?: WriteFileOptions): Promise<void>;
  appendFile(data: FileData, options?: WriteFileOptions): Promise<void>;
  stat(): Promise<Stats>;
  /** Rejects with `EINVAL` if the handle isn't open for writing. */
  truncate(length?: number): Promise<void>;
  /**
   * Resolves once all writes of the handle are as durable as the view makes them. In `Workspace.fs`
   * every write was flushed before it resolved. A draft becomes durable when it is committed.
   */
  sync(): Promise<void>;
  datasync(): Promise<void>;
  chmod(mode: FileMode): Promise<void>;
  utimes(atime: FileTime, mtime: FileTime): Promise<void>;
  /** Waits for operations that were started. Idempotent. */
  close(): Promise<void>;
}

/**
 * The synchronous functions, for code that runs beside its files (tool workers, inline).
 * Paths are absolute or relative to the view's working directory. Every failure is an SdkError with
 * Node's code, `data.path` and `data.syscall`. A call that throws has changed nothing.
 */
export interface SyncFileSystem {
  readFileSync(path: string, options: EncodingOption): string;
  readFileSync(path: string, options?: BinaryOption): Uint8Array<ArrayBuffer>;
  /**
   * Returns the content itself, of which {@link readFileSync} returns a copy. It must not be
   * changed or kept.
   */
  viewFileSync(path: string): Uint8Array;
  writeFileSync(path: string, data: FileData, options?: WriteFileOptions): void;
  appendFileSync(path: string, data: FileData, options?: WriteFileOptions): void;
  existsSync(path: string): boolean;
  /** `mode` is a sum of `R_OK`, `W_OK` and `X_OK`. @defaultValue `F_OK` */
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
  /** Returns the first directory that `recursive` has created, or undefined. */
  mkdirSync(path: string, options?: MkdirOptions): string | undefined;
  mkdtempSync(prefix: string, options?: NameOptions): string;
  rmSync(path: string, options?: RmOptions): void;
  rmdirSync(path: string): void;
  unlinkSync(path: string): void;
  renameSync(from: string, to: string): void;
  /** `mode`: `COPYFILE_EXCL` refuses to replace. Copies always share contents. */
  copyFileSync(from: string, to: string, mode?: number): void;
  cpSync(from: string, to: string, options?: CopySyncOptions): void;
  realpathSync(path: string, options?: NameOptions): string;
  readlinkSync(path: string, options: BufferNameOptions): Uint8Array;
  readlinkSync(path: string, options?: NameOptions): string;
  /** The target is stored as given. A view follows it only as far as it may read. */
  symlinkSync(target: string, path: string): void;
  /**
   * Creates a copy that shares its content, NOT a second name of one file. The tree has no inodes,
   * so a later write to one of the paths doesn't change the other. Requires read access to the
   * source and write access to the target.
   */
  linkSync(existing: string, path: string): void;
  chmodSync(path: string, mode: FileMode): void;
  /** Numbers are seconds, as in Node. Access times aren't stored. */
  utimesSync(path: string, atime: FileTime, mtime: FileTime): void;
  lutimesSync(path: string, atime: FileTime, mtime: FileTime): void;
  truncateSync(path: string, length?: number): void;

  /**
   * Returns a descriptor for the path: the lowest free number from 3 on, valid for this object
   * only. The notes on {@link FileHandle} apply.
   */
  openSync(path: string, flags?: OpenFlag | null, mode?: FileMode | null): number;
  /** Returns the number of bytes that were read; 0 at the end. */
  readSync(
    descriptor: number,
    buffer: ArrayBufferView,
    offset?: number | BufferOptions | null,
    length?: number | null,
    position?: number | bigint | null,
  ): number;
  /** Returns the number of bytes that were written: all of them. */
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

  /** Same as {@link FileSystem.openPath}. */
  openPathSync(path: string, flags?: OpenFlag | null, mode?: FileMode | null): string;
  /** Same as {@link FileSystem.readPart}. */
  readPartSync(path: string, position: number, length?: number): Uint8Array;
  /** Same as {@link FileSystem.writePart}. */
  writePartSync(path: string, position: number | 'end', data: FileData): number;
}

/**
 * The functions of `fs.promises`, with additions for tools. Differences from Node, and what is
 * missing, are listed in docs/workspace.md.
 * Rejects as {@link SyncFileSystem} throws. Await an operation before the next one that depends on
 * it, because concurrent operations may take effect in any order.
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
  /**
   * Creates a copy that shares its content, NOT a second name of one file: see {@link
   * SyncFileSystem.linkSync}.
   */
  link(existing: string, path: string): Promise<void>;
  chmod(path: string, mode: FileMode): Promise<void>;
  utimes(path: string, atime: FileTime, mtime: FileTime): Promise<void>;
  lutimes(path: string, atime: FileTime, mtime: FileTime): Promise<void>;
  truncate(path: string, length?: number): Promise<void>;
  /**
   * Reports changes of a file, of a directory's entries, or of everything below it. As in Node, it
   * listens from the first `next()` on, which rejects if the path doesn't exist. It ends with
   * `return()` or the signal.
   * A draft's view reports writes through that view. `Workspace.fs` reports every acknowledged
   * commit, whoever made it. Simultaneous changes of one name may be reported once.
   */
  watch(path: string, options?: WatchOptions): AsyncIterableIterator<WatchEvent>;

  /**
   * Does to a file what `open` does, without a handle: checks the flags, creates and truncates.
   * Returns the real path. Handles are built from this function and the next two. Each is one round
   * trip, wherever the files are.
   */
  openPath(path: string, flags?: OpenFlag | null, mode?: FileMode | null): Promise<string>;
  /**
   * Returns `length` bytes from `position` on, or as many as there are. Returns none beyond the
   * end.
   */
  readPart(path: string, position: number, length?: number): Promise<Uint8Array>;
  /** Writes into an existing file in one step. Returns the position behind the written data. */
  writePart(path: string, position: number | 'end', data: FileData): Promise<number>;
  /**
   * Returns the contents of many files in one request, in the requested order. For a file that
   * can't be read, returns its error. Text needs no copy, which takes a third of the time if
   * contents are cached.
   */
  readMany(paths: readonly string[], encoding: Encoding): Promise<(string | Error)[]>;
  readMany(paths: readonly string[], encoding?: null): Promise<(Uint8Array | Error)[]>;
  /**
   * Returns all files below a directory. Links are listed but not followed. Denied files are
   * absent.
   */
  walk(directory: string, options?: WalkOptions): Promise<WalkEntry[]>;
}

/**
 * A view in the same realm as its files: the same tree, with synchronous and asynchronous
 * functions. Handlers get it.
 */
export interface LocalFileSystem extends FileSystem {
  readonly sync: SyncFileSystem;
}
