/**
 * Many files as one piece of bytes, for the way between the headless command and its page. It has a
 * JSON header's length in four bytes, the header, and the contents one after another.
 */
import type { ImportEntry } from 'rockpool/browser';

/** What {@link packEntries} takes: an {@link ImportEntry} whose bytes are there. */
export type PackedEntry = Exclude<ImportEntry, { readonly file: Blob }>;

/** A batch has at most so many files, or so many bytes and one file more. */
export const packFiles = 256;
export const packBytes = 8 * 1024 * 1024;

interface Header {
  readonly path: string;
  /** Left out for what has no contents. */
  readonly size?: number;
  readonly mode?: number;
  readonly mtimeMs?: number;
  readonly target?: string;
}

/** Inverse: {@link unpackEntries}. */
export function packEntries(entries: readonly PackedEntry[]): Uint8Array<ArrayBuffer> {
  const headers = entries.map((entry): Header => {
    if ('bytes' in entry) {
      const { bytes, ...rest } = entry;
      return { ...rest, size: bytes.length };
    }
    return 'target' in entry ? entry : { path: entry.path };
  });
  const header = new TextEncoder().encode(JSON.stringify(headers));
  const contents = entries.flatMap((entry) => ('bytes' in entry ? [entry.bytes] : []));
  const size = contents.reduce((sum, bytes) => sum + bytes.length, 4 + header.length);
  const pack = new Uint8Array(size);
  new DataView(pack.buffer).setUint32(0, header.length);
  let at = 4;
  for (const bytes of [header, ...contents]) {
    pack.set(bytes, at);
    at += bytes.length;
  }
  return pack;
}

/** Inverse: {@link packEntries}. */
export function unpackEntries(pack: Uint8Array): PackedEntry[] {
  const length = new DataView(pack.buffer, pack.byteOffset).getUint32(0);
  let at = 4 + length;
  const headers = JSON.parse(new TextDecoder().decode(pack.subarray(4, at))) as Header[];
  return headers.map(({ path, size, target, ...rest }): PackedEntry => {
    if (target !== undefined) return { path, target };
    if (size === undefined) return { path, isDirectory: true };
    const bytes = pack.slice(at, at + size);
    at += size;
    return { path, bytes, ...rest };
  });
}
