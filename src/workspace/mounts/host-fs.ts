// The port to a tree of files outside the workspace: a picked folder, a lightning-fs volume, a host's own
// files. A mount (mount.ts) reads it into the workspace, and writes back what changes there.

/** An entry of a directory. */
export interface HostEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'symlink';
}

/** What stands at a path. Whole milliseconds count of a time: a file of the same size and time is the same. */
export type HostStats =
  | {
      readonly kind: 'file';
      /** In bytes. */
      readonly size: number;
      readonly mtimeMs: number;
      /** Permission bits. Left out where the source keeps none. */
      readonly mode?: number | undefined;
    }
  | { readonly kind: 'directory' }
  | { readonly kind: 'symlink'; readonly target: string };

/**
 * Files outside the workspace. Paths are relative, with `/` between names; `''` is the tree itself.
 *
 * A mount calls one method at a time, but for `stat` and `readFile` of several files. A method that rejects with an
 * `SdkError` is told in its words:
 *
 * - `EACCES`, `EPERM`: the permission was withdrawn. Everything waits until the mount's `sync()`.
 * - `EINVAL`, `ENAMETOOLONG`, `EBUSY`, `ENOTEMPTY`: this path can't be taken. The others go on.
 * - Anything else ends the attempt, and the next change or `sync()` makes another.
 */
export interface HostFs {
  /** What a person calls it: sentences and the names of commits have it. At most 200 characters. */
  readonly name: string;
  /**
   * Which tree it is, in at most 200 characters: no other tree has it, and this one always has. Left out: trees are
   * told apart by their names, and by whether their files are those that were mounted before.
   */
  readonly id?: string;
  /** Nothing may be written to it. @defaultValue false */
  readonly isReadOnly?: boolean;
  /** `stat` gives modes, and `writeFile` keeps them. @defaultValue false */
  readonly keepsModes?: boolean;
  /** The entries of a directory, in any order. */
  readdir(path: string): Promise<readonly HostEntry[]>;
  /** What stands there, a link not followed; null for nothing. */
  stat(path: string): Promise<HostStats | null>;
  /** All bytes of a file. They become the caller's. */
  readFile(path: string): Promise<Uint8Array>;
  /**
   * Makes or replaces a file in a directory that is there. A reader sees the old bytes or the new ones.
   * The bytes stay the caller's.
   */
  writeFile(path: string, bytes: Uint8Array, options: { readonly mode: number }): Promise<void>;
  /** Makes a directory in one that is there. */
  mkdir(path: string): Promise<void>;
  /** Removes a file, a link, or an empty directory. */
  remove(path: string): Promise<void>;
  /** Left out where links can't be kept. */
  symlink?(target: string, path: string): Promise<void>;
  /**
   * Told of what changes outside: the paths, or null where they aren't known. Its own writes may be told
   * too. Left out: `sync()` alone finds changes.
   */
  watch?(onChange: (paths: readonly string[] | null) => void): Disposable;
  /** Called behind a round of writes, before they count as kept. */
  flush?(): Promise<void>;
  /** Called once, when the mount has ended. */
  close?(): Promise<void>;
}
