// What an archive brings, whatever its format: read-zip.ts and read-tar.ts give it, unpack.ts takes it.

/** An entry as the archive names it. Nothing of it is checked yet. */
export interface ArchiveEntry {
  /** As the archive has it. A directory's may end with a slash. */
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'symlink' | 'hardlink';
  /** In bytes, as the archive says. */
  readonly size: number;
  /** Permission bits; undefined where the archive has none. */
  readonly mode: number | undefined;
  readonly mtimeMs: number;
  /** The bytes of a file, or of a link's target; at most `limit`, else it rejects. Called once, in order. */
  read(limit: number): Promise<Uint8Array>;
  /** A link's target, if `read` doesn't give it. */
  readonly target?: string;
}

/** What an archive may bring. */
export interface ArchiveLimits {
  /** Unpacked, all together. @defaultValue 1 GiB */
  readonly maxBytes?: number;
  /** @defaultValue 200 000 */
  readonly maxEntries?: number;
}

export const defaultMaxBytes = 1024 * 1024 * 1024;
export const defaultMaxEntries = 200_000;

/**
 * Is it more than an archive of honest files unpacks to? Text packs 3 to 10 times, deflate at most 1 032 times. A
 * few megabytes of zeros are nobody's bomb.
 */
export function isBomb(unpacked: number, packed: number): boolean {
  return unpacked > 64 * 1024 * 1024 && unpacked > packed * 200;
}
