// Stores a file as rows of a database, for drivers without files: idb-log and do-sqlite. Each row
// begins where the one before it ends. A short last row is rewritten by the next append, so that
// many small appends don't make many rows.

/** A piece of a file. */
export interface ChunkRow {
  /** Its place in the file. */
  readonly start: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The row sizes of a driver's database. */
export interface ChunkSizes {
  /** A last row that is shorter than this is rewritten by the next append. */
  readonly shortBytes: number;
  readonly maxBytes: number;
}

/**
 * The rows to be put for an append to a file of `length` bytes. `tail` is its last row where that is
 * short, else empty; the first row takes its place. The rows are copies and share no buffer: a
 * database that clones a view would clone all that is behind it.
 */
export function toAppendedRows(
  length: number,
  tail: Uint8Array,
  bytes: Uint8Array,
  { maxBytes }: ChunkSizes,
): ChunkRow[] {
  if (bytes.length === 0) return [];
  const taken = Math.min(bytes.length, maxBytes - tail.length);
  const first = new Uint8Array(tail.length + taken);
  first.set(tail);
  first.set(bytes.subarray(0, taken), tail.length);
  const rows: ChunkRow[] = [{ start: length - tail.length, bytes: first }];
  for (let at = taken; at < bytes.length; at += maxBytes) {
    rows.push({ start: length + at, bytes: bytes.slice(at, at + maxBytes) });
  }
  return rows;
}

/** The tail for the next append, after these rows were put. */
export function tailOf(rows: readonly ChunkRow[], { shortBytes }: ChunkSizes): Uint8Array {
  const last = rows.at(-1);
  return last && last.bytes.length < shortBytes ? last.bytes : new Uint8Array(0);
}

/**
 * The bytes from `offset` on out of the rows that hold them, in order, or null where some are
 * missing. Never the rows' own bytes, which may be larger than what was asked for.
 */
export function fromRows(
  rows: readonly ChunkRow[],
  offset: number,
  length: number,
): Uint8Array<ArrayBuffer> | null {
  const result = new Uint8Array(length);
  let filled = 0;
  for (const { start, bytes } of rows) {
    const from = offset + filled - start;
    // A later row that doesn't begin where the one before it ended: something between them is gone.
    if (from < 0 || (from > 0 && filled > 0)) return null;
    const part = bytes.subarray(from, from + length - filled);
    result.set(part, filled);
    filled += part.length;
  }
  return filled === length ? result : null;
}
