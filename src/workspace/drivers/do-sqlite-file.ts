// A file of the do-sqlite driver, stored as rows of a table. The integer key combines the file's id
// and the row's offset. Created by do-sqlite.ts.
import { SdkError } from '../../core/errors.ts';
import type { AppendFile } from '../log/log-medium.ts';
import { fromRows, type ChunkRow, type ChunkSizes } from './chunk-rows.ts';
import type { OwnedSql } from './do-sqlite.ts';
import { createMediumError, requireInside } from './refusals.ts';

const sizes: ChunkSizes = {
  // 8 kB: two pages of SQLite, so rewriting it costs about as much as a new row.
  shortBytes: 8 * 1024,
  // 64 kB: an import writes few rows, and a small read doesn't read too much. SQLite's limit is 2
  // MB.
  maxBytes: 64 * 1024,
};

const none: ChunkRow['bytes'] = new Uint8Array(0);

/** Usually enough for a short row and one more commit. */
const tailRoom = sizes.shortBytes * 2;

/**
 * A row's key is `id * fileSpan + start`. An integer key is SQLite's own row id, so each row is
 * written once, without a separate index. 4 GiB is more than twice the longest record, and leaves
 * exact keys for two million files.
 */
export const fileSpan = 2 ** 32;

const selectAt = 'SELECT key, bytes FROM rockpool_row WHERE key <= ? ORDER BY key DESC LIMIT 1';
const selectBetween = 'SELECT key, bytes FROM rockpool_row WHERE key > ? AND key < ? ORDER BY key';

/** Created by the medium, one for each file. All calls complete synchronously. */
export class DoSqliteFile implements AppendFile {
  readonly #sql: OwnedSql;
  readonly #id: number;
  readonly #name: string;
  #length: number;
  /** The last row, if it is short. It is the beginning of a buffer with room for more. */
  #tail: Uint8Array = none;
  /** The row that was read last: contents that were written together are often read together. */
  #recent: ChunkRow = { start: 0, bytes: none };

  constructor(
    sql: OwnedSql,
    file: { readonly id: number; readonly name: string; readonly length: number },
  ) {
    this.#sql = sql;
    this.#id = file.id;
    this.#name = file.name;
    this.#length = file.length;
  }

  length(): number {
    return this.#length;
  }

  append(bytes: Uint8Array): void {
    if (this.#length + bytes.length > fileSpan) {
      throw createMediumError(new RangeError(`"${this.#name}" would be longer than 4 GiB.`));
    }
    if (bytes.length === 0) return;
    const { maxBytes, shortBytes } = sizes;
    const tail = this.#tail;
    const start = this.#length - tail.length;
    const taken = Math.min(bytes.length, maxBytes - tail.length);
    let last = extended(tail, bytes.subarray(0, taken));
    if (taken === bytes.length) {
      this.#sql.putRow(this.#key(start), last);
    } else {
      this.#sql.write(() => {
        this.#sql.putRow(this.#key(start), last);
        for (let at = taken; at < bytes.length; at += maxBytes) {
          last = extended(none, bytes.subarray(at, at + maxBytes));
          this.#sql.putRow(this.#key(this.#length + at), last);
        }
      });
    }
    this.#tail = last.length < shortBytes ? last : none;
    this.#length += bytes.length;
  }

  truncate(length: number): void {
    requireInside(this.#name, this.#length, 0, length);
    if (length === this.#length) return;
    const start = this.#rowAt(Math.max(length - 1, 0));
    const kept = new Uint8Array(this.readSync(start, length - start));
    this.#sql.write(() => {
      const remove = 'DELETE FROM rockpool_row WHERE key >= ? AND key < ?';
      this.#sql.query(remove, this.#key(start), this.#key(fileSpan));
      const put = 'INSERT INTO rockpool_row (key, bytes) VALUES (?, ?)';
      if (kept.length > 0) this.#sql.query(put, this.#key(start), kept);
    });
    this.#recent = { start: 0, bytes: none };
    this.#tail = kept.length < sizes.shortBytes ? kept : none;
    this.#length = length;
  }

  read(offset: number, length: number): Uint8Array {
    return this.readSync(offset, length);
  }

  readSync(offset: number, length: number): Uint8Array {
    requireInside(this.#name, this.#length, offset, length);
    if (length === 0) return none;
    if (holds(this.#recent, offset, length)) return partOf(this.#recent, offset, length);
    const rows = this.#rows(offset, length);
    const last = rows.at(-1);
    // The next read usually begins behind this row.
    if (last) this.#recent = last;
    if (last && holds(last, offset, length)) return partOf(last, offset, length);
    const result = fromRows(rows, offset, length);
    if (result) return result;
    throw new SdkError(
      'EIO',
      `EIO: the database has lost a part of "${this.#name}" between ${offset} and ${offset + length}.`,
      { data: { name: this.#name, offset, length } },
    );
  }

  /** Nothing to close, because the database belongs to the object. */
  close(): void {}

  /** Returns the rows that contain the bytes. Usually it is one, and then only one row is read. */
  #rows(offset: number, length: number): ChunkRow[] {
    const [first] = this.#select(selectAt, this.#key(offset));
    if (!first || holds(first, offset, length)) return first ? [first] : [];
    const end = offset + length;
    return [first, ...this.#select(selectBetween, this.#key(offset), this.#key(end))];
  }

  #select(text: string, ...keys: readonly number[]): ChunkRow[] {
    return this.#sql.query(text, ...keys).map(({ key = null, bytes }) => ({
      start: Number(key) - this.#key(0),
      bytes: bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : none,
    }));
  }

  /** Returns where the row begins that contains the byte at `offset`. */
  #rowAt(offset: number): number {
    const [row] = this.#sql.query(
      'SELECT max(key) AS key FROM rockpool_row WHERE key >= ? AND key <= ?',
      this.#key(0),
      this.#key(offset),
    );
    return Math.max(Number(row?.['key'] ?? 0) - this.#key(0), 0);
  }

  #key(start: number): number {
    return this.#id * fileSpan + start;
  }
}

/**
 * Appends `bytes` to the tail, in the tail's own buffer if there is room. A row that isn't short is
 * never extended, so it may be a view of `bytes`: SQLite copies its parameters.
 */
function extended(tail: Uint8Array, bytes: Uint8Array): Uint8Array {
  const length = tail.length + bytes.length;
  if (tail.length === 0 && length >= sizes.shortBytes) return bytes;
  const hasRoom = length <= tail.buffer.byteLength;
  const row = hasRoom
    ? new Uint8Array(tail.buffer, 0, length)
    : new Uint8Array(new ArrayBuffer(Math.max(length, tailRoom)), 0, length);
  if (!hasRoom) row.set(tail);
  row.set(bytes, tail.length);
  return row;
}

function holds({ start, bytes }: ChunkRow, offset: number, length: number): boolean {
  return offset >= start && offset + length <= start + bytes.length;
}

/** Returns a view, because read bytes are shared and never changed. */
function partOf({ start, bytes }: ChunkRow, offset: number, length: number): Uint8Array {
  return bytes.subarray(offset - start, offset - start + length);
}
