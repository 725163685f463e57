// The workspace as a tool's page half sees it: reading alone. What it wants changed it has another tool
// change, whose draft is judged and kept as a whole. Core can't name the workspace's `FileSystem`, which
// stands below it; a type test proves that it fits.
import type { Version } from '../change-set.ts';

/** Node's `Stats`, as far as a tool needs them. */
export interface CallFileStats {
  /** Bytes. */
  readonly size: number;
  readonly mtimeMs: number;
  /** The number of the path's last change. */
  readonly version: Version;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

/** A file or a link below a directory; links aren't followed. */
export interface CallFileEntry {
  readonly path: string;
  readonly type: 'file' | 'symlink';
  readonly size: number;
  readonly mtimeMs: number;
  readonly version: Version;
}

/** A path that has changed. The deletion of a directory stands for everything below it. */
export interface CallFileChange {
  /** Absolute. */
  readonly path: string;
  readonly type: 'create' | 'update' | 'delete';
  readonly kind: 'file' | 'directory' | 'symlink';
}

/**
 * Paths are absolute, or relative to the working directory; each is judged by the call's access, where
 * it really leads. What rules deny is absent. Rejects with an SdkError with Node's code: `ENOENT`, or
 * `EACCES` outside the workspace and where a person would have to be asked.
 *
 * It is what is committed by now: what one operation sees may be gone before the next.
 */
export interface CallFiles {
  readFile(path: string, encoding: 'utf8'): Promise<string>;
  readFile(path: string): Promise<Uint8Array<ArrayBuffer>>;
  stat(path: string): Promise<CallFileStats>;
  /** Names, sorted. */
  readdir(path: string): Promise<string[]>;
  realpath(path: string): Promise<string>;
  /** All files below a directory, by path, but for what `.gitignore` and its like leave out. */
  walk(directory: string): Promise<readonly CallFileEntry[]>;
}
