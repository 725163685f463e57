// A file of the do-sqlite driver: rows of a table, keyed by their start offsets.
import { SdkError } from '../../core/errors.ts';
import type { AppendFile } from '../log/log-medium.ts';
import { fromRows, tailOf, toAppendedRows, type ChunkSizes } from './chunk-rows.ts';
import type { OwnedSql } from './do-sqlite.ts';
import { requireInside } from './refusals.ts';

const sizes: ChunkSizes = {
  // 8 kB: two of SQLite's pages, so rewriting it costs about what a new row would.
  shortBytes: 8 * 1024,
  // 64 kB: a read of a few bytes reads the whole row, an import writes few rows; the limit is 2 MB.
  maxBytes: 64 * 1024,
};

const none = new Uint8Array(0);

/** Made by the medium: one a file. All calls work at once. */
export class DoSqliteFile implements AppendFile {
  readonly #sql: OwnedSql;
  readonly #id: number;
  readonly #name: string;
  #length: number;
  /** The last row, where it is short. */
  #tail: Uint8Array = none;

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
    const rows = toAppendedRows(this.#length, this.#tail, bytes, sizes);
    const put = 'INSERT OR REPLACE INTO rockpool_chunk (file, start, bytes) VALUES (?, ?, ?)';
    this.#sql.write(() => {
      for (const row of rows) this.#sql.query(put, this.#id, row.start, row.bytes);
    });
    if (rows.length > 0) this.#tail = tailOf(rows, sizes);
    this.#length += bytes.length;
  }

  truncate(length: number): void {
    requireInside(this.#name, this.#length, 0, length);
    if (length === this.#length) return;
    const start = this.#rowAt(Math.max(length - 1, 0));
    const kept = new Uint8Array(this.readSync(start, length - start));
    this.#sql.write(() => {
      const remove = 'DELETE FROM rockpool_chunk WHERE file = ? AND start >= ?';
      this.#sql.query(remove, this.#id, start);
      const put = 'INSERT INTO rockpool_chunk (file, start, bytes) VALUES (?, ?, ?)';
      if (kept.length > 0) this.#sql.query(put, this.#id, start, kept);
    });
    this.#tail = tailOf([{ start, bytes: kept }], sizes);
    this.#length = length;
  }

  read(offset: number, length: number): Uint8Array {
    return this.readSync(offset, length);
  }

  readSync(offset: number, length: number): Uint8Array {
    requireInside(this.#name, this.#length, offset, length);
    if (length === 0) return none;
    const found = this.#sql.query(
      `SELECT start, bytes FROM rockpool_chunk
        WHERE file = ? AND start >= ? AND start < ? ORDER BY start`,
      this.#id,
      this.#rowAt(offset),
      offset + length,
    );
    const rows = found.map((row) => ({
      start: Number(row['start']),
      bytes: row['bytes'] instanceof ArrayBuffer ? new Uint8Array(row['bytes']) : none,
    }));
    const result = fromRows(rows, offset, length);
    if (result) return result;
    throw new SdkError(
      'EIO',
      `EIO: the database has lost a part of "${this.#name}" between ${offset} and ${offset + length}.`,
      { data: { name: this.#name, offset, length } },
    );
  }

  /** Nothing to close: the database is the object's. */
  close(): void {}

  /** Where the row begins that holds the byte at `offset`. */
  #rowAt(offset: number): number {
    const [row] = this.#sql.query(
      'SELECT max(start) AS start FROM rockpool_chunk WHERE file = ? AND start <= ?',
      this.#id,
      offset,
    );
    return Number(row?.['start'] ?? 0);
  }
}
