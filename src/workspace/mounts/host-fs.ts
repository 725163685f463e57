// The port to files outside of the workspace: a picked folder, a lightning-fs volume, or a host's
// own files. A mount (mount.ts) reads them into the workspace and writes changes back.

/** An entry of a directory. */
export interface HostEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'symlink';
}

/**
 * The state of a path. Times count in whole milliseconds: a file with the same size and time is
 * unchanged.
 */
export type HostStats =
  | {
      readonly kind: 'file';
      /** In bytes. */
      readonly size: number;
      readonly mtimeMs: number;
      /** Permission bits. Left out if the source doesn't store them. */
      readonly mode?: number | undefined;
    }
  | { readonly kind: 'directory' }
  | { readonly kind: 'symlink'; readonly target: string };

/**
 * Files outside of the workspace. Paths are relative, with `/` between names; `''` is the root.
 *
 * A mount calls one method at a time, but for `stat` and `readFile` of several files. A method that rejects with an
 * `SdkError` is told in its words:
 *
 * - `EACCES`, `EPERM`: the permission was withdrawn. Everything waits until the mount's `sync()`.
 * - `EINVAL`, `ENAMETOOLONG`, `EBUSY`, `ENOTEMPTY`: this path can't be written. The other paths still are.
 * - `ENOENT` at writing: its directory isn't there any more. The mount makes it again.
 * - Anything else ends the attempt, and the next change or `sync()` makes another.
 */
export interface HostFs {
  /**
   * The source's name for people, used in messages and as the author of commits. At most 200
   * characters.
   */
  readonly name: string;
  /**
   * A unique and permanent id of this tree, at most 200 characters. Left out: trees are
   * distinguished by name, and by whether their files are those that were mounted before.
   */
  readonly id?: string;
  /** True if nothing may be written. @defaultValue false */
  readonly isReadOnly?: boolean;
  /** True if `stat` returns modes and `writeFile` stores them. @defaultValue false */
  readonly keepsModes?: boolean;
  /** Returns the entries of a directory in any order. */
  readdir(path: string): Promise<readonly HostEntry[]>;
  /** Returns the state of a path without following links, or null if nothing exists. */
  stat(path: string): Promise<HostStats | null>;
  /** Returns all bytes of a file, which then belong to the caller. */
  readFile(path: string): Promise<Uint8Array>;
  /**
   * Creates or replaces a file in an existing directory. Readers must see either the old or the new
   * bytes. The bytes belong to the caller.
   */
  writeFile(path: string, bytes: Uint8Array, options: { readonly mode: number }): Promise<void>;
  /** Creates a directory in an existing one. */
  mkdir(path: string): Promise<void>;
  /** Removes a file, a link, or an empty directory. */
  remove(path: string): Promise<void>;
  /** Left out if links aren't supported. */
  symlink?(target: string, path: string): Promise<void>;
  /**
   * Reports outside changes: their paths, or null if unknown. The mount's own writes may be
   * reported too. Left out: only `sync()` finds changes.
   */
  watch?(onChange: (paths: readonly string[] | null) => void): Disposable;
  /** Called after a round of writes, before they count as stored. */
  flush?(): Promise<void>;
  /** Called once the mount has ended. */
  close?(): Promise<void>;
}
