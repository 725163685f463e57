// A file of the idb-log driver: rows of an IndexedDB store, keyed by their start offsets.
import { SdkError } from '../../core/errors.ts';
import type { AppendFile } from '../log/log-medium.ts';
import type { Durability } from '../workspace.ts';
import { fromRows, tailOf, toAppendedRows, type ChunkSizes } from './chunk-rows.ts';
import type { IdbConnection } from './idb-connection.ts';
import { createMissingFileError, requireInside } from './refusals.ts';

const sizes: ChunkSizes = {
  // 8 kB: rewriting so much takes no measurable time (0.4 to 0.5 ms, as for 600 bytes).
  shortBytes: 8 * 1024,
  // 60 kB: from 64 kB on, Chromium keeps a value in a separate file. That is twice as slow. Such
  // values were lost in crashes, and later strict transactions don't flush them.
  maxBytes: 60 * 1024,
};

const none: Uint8Array = new Uint8Array(0);

/** The keys of all rows of a file that begin at or after `start`. */
export function rowsFrom(name: string, start = 0): IDBKeyRange {
  return IDBKeyRange.bound([name, start], [name, Infinity]);
}

/**
 * Created by {@link IdbFile.create} and {@link IdbFile.open}. The medium's owner has one object for
 * each file.
 */
export class IdbFile implements AppendFile {
  readonly #connection: IdbConnection;
  readonly #name: string;
  /** The offset of each row, so that a read needs one request. 60 MB have 1 000 rows. */
  readonly #starts: number[];
  #length: number;
  /** The last row, if it is short. */
  #tail = none;
  /** True after a failed append, whose rows may exist: see {@link IdbFile.append}. */
  #isTorn = false;

  private constructor(
    connection: IdbConnection,
    name: string,
    starts: readonly number[],
    length: number,
  ) {
    this.#connection = connection;
    this.#name = name;
    this.#starts = [...starts];
    this.#length = length;
  }

  static async create(connection: IdbConnection, name: string): Promise<IdbFile> {
    await connection.write('process', (transaction) => {
      transaction.objectStore('chunks').delete(rowsFrom(name));
      transaction.objectStore('files').put({ length: 0 }, name);
    });
    return new IdbFile(connection, name, [], 0);
  }

  /** Rejects with `ENOENT`. */
  static async open(connection: IdbConnection, name: string): Promise<IdbFile> {
    let keys: IDBRequest<IDBValidKey[]> | undefined;
    const file = await connection.read<{ readonly length: number } | undefined>((transaction) => {
      keys = transaction.objectStore('chunks').getAllKeys(rowsFrom(name));
      return transaction.objectStore('files').get(name);
    });
    if (!file) throw createMissingFileError(name);
    const starts = keys?.result.map((key) => Number((key as readonly IDBValidKey[])[1])) ?? [];
    // Rows behind the file's end are left over from a failed append.
    const inside = starts.filter((start) => start < file.length);
    return new IdbFile(connection, name, inside, file.length);
  }

  length(): number {
    return this.#length;
  }

  async append(bytes: Uint8Array, durability: Durability): Promise<void> {
    if (this.#isTorn) await this.truncate(this.#length);
    const rows = toAppendedRows(this.#length, this.#tail, bytes, sizes);
    const length = this.#length + bytes.length;
    try {
      await this.#connection.write(durability, (transaction) => {
        // Also written for an append without bytes, because an empty transaction flushes nothing.
        // Written before the rows: with a full disk, Firefox's aborted transaction undoes requests
        // before the failed one but executes those after it.
        transaction.objectStore('files').put({ length }, this.#name);
        const chunks = transaction.objectStore('chunks');
        for (const row of rows) chunks.put(row.bytes, [this.#name, row.start]);
      });
    } catch (error) {
      this.#isTorn = true;
      throw error;
    }
    if (rows.length === 0) return;
    if (this.#tail.length > 0) this.#starts.pop();
    for (const row of rows) this.#starts.push(row.start);
    this.#tail = tailOf(rows, sizes);
    this.#length = length;
  }

  async truncate(length: number): Promise<void> {
    requireInside(this.#name, this.#length, 0, length);
    if (length === this.#length && !this.#isTorn) return;
    const starts = this.#starts.filter((start) => start < length);
    const last = starts.at(-1);
    const kept = last === undefined ? undefined : await this.#readCopy(last, length - last);
    await this.#connection.write('process', (transaction) => {
      const chunks = transaction.objectStore('chunks');
      chunks.delete(rowsFrom(this.#name, length));
      if (kept && last !== undefined) chunks.put(kept, [this.#name, last]);
      transaction.objectStore('files').put({ length }, this.#name);
    });
    this.#starts.length = starts.length;
    this.#tail = kept && last !== undefined ? tailOf([{ start: last, bytes: kept }], sizes) : none;
    this.#length = length;
    this.#isTorn = false;
  }

  read(offset: number, length: number): Promise<Uint8Array> {
    return this.#readCopy(offset, length);
  }

  /** Nothing to close, because the connection belongs to the medium. */
  close(): void {}

  async #readCopy(offset: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
    requireInside(this.#name, this.#length, offset, length);
    if (length === 0) return new Uint8Array(0);
    const first = this.#rowAt(offset);
    const starts = this.#starts.slice(first);
    const range = IDBKeyRange.bound(
      [this.#name, starts[0] ?? offset],
      [this.#name, offset + length],
      false,
      true,
    );
    const found = await this.#connection.read<Uint8Array<ArrayBuffer>[]>((transaction) =>
      transaction.objectStore('chunks').getAll(range),
    );
    const rows = found.map((bytes, at) => ({ start: starts[at] ?? Infinity, bytes }));
    const result = fromRows(rows, offset, length);
    if (result) return result;
    throw new SdkError(
      'EIO',
      `EIO: the browser has lost a part of "${this.#name}" between ${offset} and ${offset + length}.`,
      { data: { name: this.#name, offset, length } },
    );
  }

  /** Finds the last row that begins at or before the offset, by binary search. */
  #rowAt(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return Math.max(low, 0);
  }
}
