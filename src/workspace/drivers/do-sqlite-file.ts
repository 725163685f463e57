// A file of the do-sqlite driver: rows of a table whose key is one integer, of the file's id and the
// row's start offset. Made by do-sqlite.ts.
import { SdkError } from '../../core/errors.ts';
import type { AppendFile } from '../log/log-medium.ts';
import { fromRows, tailOf, toAppendedRows, type ChunkRow, type ChunkSizes } from './chunk-rows.ts';
import type { OwnedSql } from './do-sqlite.ts';
import { createMediumError, requireInside } from './refusals.ts';

const sizes: ChunkSizes = {
  // 8 kB: two of SQLite's pages, so rewriting it costs about what a new row would.
  shortBytes: 8 * 1024,
  // 64 kB: a read of a few bytes reads the whole row, an import writes few rows; the limit is 2 MB.
  maxBytes: 64 * 1024,
};

const none: ChunkRow['bytes'] = new Uint8Array(0);

/**
 * A row's key is `id * fileSpan + start`: an integer key is SQLite's own row id, so each row is written once
 * and not to an index beside it. 4 GiB: more than twice what the longest record brings. Keys of two
 * million files are exact numbers.
 */
export const fileSpan = 2 ** 32;

/** Made by the medium: one a file. All calls work at once. */
export class DoSqliteFile implements AppendFile {
  readonly #sql: OwnedSql;
  readonly #id: number;
  readonly #name: string;
  #length: number;
  /** The last row, where it is short. */
  #tail: Uint8Array = none;
  /** The row that was read last: contents that were written together are read so. */
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
    const rows = toAppendedRows(this.#length, this.#tail, bytes, sizes);
    const putAll = () => {
      for (const row of rows) this.#sql.putRow(this.#key(row.start), row.bytes);
    };
    if (rows.length > 1) this.#sql.write(putAll);
    else putAll();
    if (rows.length > 0) this.#tail = tailOf(rows, sizes);
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
    this.#tail = tailOf([{ start, bytes: kept }], sizes);
    this.#length = length;
  }

  read(offset: number, length: number): Uint8Array {
    return this.readSync(offset, length);
  }

  readSync(offset: number, length: number): Uint8Array {
    requireInside(this.#name, this.#length, offset, length);
    if (length === 0) return none;
    const from = offset - this.#recent.start;
    if (from >= 0 && from + length <= this.#recent.bytes.length) {
      return this.#recent.bytes.slice(from, from + length);
    }
    const rows = this.#rows(offset, length);
    const result = fromRows(rows, offset, length);
    // The last of them: what is read next mostly stands behind this.
    if (result) this.#recent = rows.at(-1) ?? this.#recent;
    if (result) return result;
    throw new SdkError(
      'EIO',
      `EIO: the database has lost a part of "${this.#name}" between ${offset} and ${offset + length}.`,
      { data: { name: this.#name, offset, length } },
    );
  }

  /** Nothing to close: the database is the object's. */
  close(): void {}

  /** Those that hold the bytes: mostly one, and then one row is read. */
  #rows(offset: number, length: number): ChunkRow[] {
    const [first] = this.#select('key <= ? ORDER BY key DESC LIMIT 1', offset);
    if (!first || first.start + first.bytes.length >= offset + length) return first ? [first] : [];
    const rest = 'key > ? AND key < ? ORDER BY key';
    return [first, ...this.#select(rest, offset, offset + length)];
  }

  #select(where: string, ...offsets: readonly number[]): ChunkRow[] {
    const keys = offsets.map((offset) => this.#key(offset));
    const found = this.#sql.query(`SELECT key, bytes FROM rockpool_row WHERE ${where}`, ...keys);
    return found.map((row) => ({
      start: Number(row['key']) - this.#key(0),
      bytes: row['bytes'] instanceof ArrayBuffer ? new Uint8Array(row['bytes']) : none,
    }));
  }

  /** Where the row begins that holds the byte at `offset`. */
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
