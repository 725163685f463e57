// Stores a file as rows of a database, for drivers without files: idb-log and do-sqlite. Each row
// begins where the previous one ends. A short last row is rewritten by the next append, so that
// many small appends don't make many rows.

/** A piece of a file. */
export interface ChunkRow {
  /** Its offset in the file. */
  readonly start: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The row sizes of a driver's database. */
export interface ChunkSizes {
  /** If the last row is shorter than this, the next append rewrites it. */
  readonly shortBytes: number;
  readonly maxBytes: number;
}

/**
 * Returns the rows to put for an append to a file of `length` bytes. `tail` is the last row if it
 * is short, otherwise empty. The first returned row replaces it. Rows are copies with buffers of
 * their own, because a database that clones a view clones its whole buffer.
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

/** Returns the tail for the next append, after these rows were put. */
export function tailOf(rows: readonly ChunkRow[], { shortBytes }: ChunkSizes): Uint8Array {
  const last = rows.at(-1);
  return last && last.bytes.length < shortBytes ? last.bytes : new Uint8Array(0);
}

/**
 * Returns the bytes from `offset` on, from the rows that contain them, or null if some are missing.
 * The result is a copy, because a row's buffer may be larger.
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
    // A row that doesn't begin where the previous one ended: bytes between them are missing.
    if (from < 0 || (from > 0 && filled > 0)) return null;
    const part = bytes.subarray(from, from + length - filled);
    result.set(part, filled);
    filled += part.length;
  }
  return filled === length ? result : null;
}
