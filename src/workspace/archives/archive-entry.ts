// The entries of an archive, independent of its format. read-zip.ts and read-tar.ts produce them,
// unpack.ts consumes them.

/** An entry as the archive states it. Nothing is validated yet. */
export interface ArchiveEntry {
  /** The path as the archive states it. A directory's may end with a slash. */
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'symlink' | 'hardlink';
  /** The size in bytes, as the archive states it. */
  readonly size: number;
  /** Permission bits; undefined if the archive has none. */
  readonly mode: number | undefined;
  readonly mtimeMs: number;
  /**
   * Reads the bytes of a file, or of a link's target. Rejects if there are more than `limit`. Call
   * it at most once, and in the order of the entries.
   */
  read(limit: number): Promise<Uint8Array>;
  /** A link's target, if `read` doesn't return it. */
  readonly target?: string;
}

/** Limits of what an archive may unpack to. */
export interface ArchiveLimits {
  /** All unpacked bytes together. @defaultValue 1 GiB */
  readonly maxBytes?: number;
  /** @defaultValue 200 000 */
  readonly maxEntries?: number;
}

export const defaultMaxBytes = 1024 * 1024 * 1024;
export const defaultMaxEntries = 200_000;

/**
 * True if the archive unpacks to more than ordinary files do. Text compresses 3 to 10 times, and
 * deflate at most 1 032 times. A few megabytes are always accepted.
 */
export function isBomb(unpacked: number, packed: number): boolean {
  return unpacked > 64 * 1024 * 1024 && unpacked > packed * 200;
}
