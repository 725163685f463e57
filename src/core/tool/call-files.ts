// The workspace for the `call` of a tool on the agent's thread: read only. For a change, `call` calls another tool,
// whose draft is judged and committed as a whole. Core may not import the workspace's `FileSystem`; a type test
// proves that it implements this interface.
import type { Version } from '../change-set.ts';

/** The fields of Node's `Stats` that a tool needs. */
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

/** A file or a link below a directory. Links aren't followed. */
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
 * Paths are absolute, or relative to the working directory. The call's access rules are applied to the real path,
 * after links. A path that a rule denies doesn't exist here. Rejects with an SdkError that has Node's code: `ENOENT`,
 * or `EACCES` outside the workspace and where a rule asks a person.
 *
 * Each operation reads what is committed at that moment, so a file may disappear between two operations.
 */
export interface CallFiles {
  readFile(path: string, encoding: 'utf8'): Promise<string>;
  readFile(path: string): Promise<Uint8Array<ArrayBuffer>>;
  stat(path: string): Promise<CallFileStats>;
  /** Names, sorted. */
  readdir(path: string): Promise<string[]>;
  realpath(path: string): Promise<string>;
  /** All files below a directory, by path, except those that `.gitignore` and similar files exclude. */
  walk(directory: string): Promise<readonly CallFileEntry[]>;
}
