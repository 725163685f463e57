// Stores large contents in an R2 bucket, one object for each. The SQLite of the Durable Object
// lists them and caches parts of them. A do-sqlite medium uses it if a bucket is bound.
import type { ConnectionGate } from '../../core/async/connection-gate.ts';
import { toHex } from '../../core/bytes/hex.ts';
import { SdkError } from '../../core/errors.ts';
import { parseStoredName, type ContentStore } from '../log/content-store.ts';
import type { ReadFile } from '../log/log-medium.ts';
import { askBucket } from './ask-bucket.ts';
import { ContentTable, listContents, partBytes, type ContentRow } from './content-table.ts';
import type { DurableStorage, OwnedSql } from './do-sqlite.ts';
import { requireInside } from './refusals.ts';

/** The used part of an R2 bucket, as a structural type: it compiles without the Workers types. */
export interface ContentsBucket {
  /** Rejects if the received bytes have another SHA-256. */
  put(key: string, bytes: Uint8Array, options: { readonly sha256: ArrayBuffer }): Promise<unknown>;
  get(
    key: string,
    options: { readonly range: { readonly offset: number; readonly length: number } },
  ): Promise<{ arrayBuffer(): Promise<ArrayBuffer> } | null>;
  delete(keys: string[]): Promise<void>;
}

/** Which contents are stored in a bucket, and how long unused ones are kept. */
export interface R2ContentsOptions {
  readonly bucket: ContentsBucket;
  /**
   * The prefix of the objects' keys, different for each storage. Letters A-z, 0-9, `/`, `-`, `_`
   * and `.`.
   */
  readonly prefix: string;
  /**
   * Contents of at least so many bytes are stored there. At least 64 kB. @defaultValue 1 000 000
   */
  readonly minBytes?: number;
  /** How many bytes of them the SQLite may cache for reading. @defaultValue 64 MiB */
  readonly cacheBytes?: number;
  /** Milliseconds after which an unused content is deleted. @defaultValue 7 days */
  readonly keepMs?: number;
  /**
   * Limits concurrent requests among all that share the gate. Left out: requests don't wait for
   * others.
   */
  readonly gate?: ConnectionGate;
}

/** 7 days: how long an unused content is kept. */
export const weekMs = 7 * 24 * 60 * 60 * 1_000;

/** 1 000: the most objects that R2 deletes in one request. */
const mostAtOnce = 1_000;

/**
 * @throws SdkError `bad-usage` for something that isn't a bucket, with the lines that bind one, and
 * for invalid options.
 */
export function checkR2Contents({ bucket, prefix, minBytes = 1e6 }: R2ContentsOptions): void {
  const { put, get } = (bucket ?? {}) as Partial<ContentsBucket>;
  if (typeof put !== 'function' || typeof get !== 'function') {
    throw new SdkError(
      'bad-usage',
      'The large contents have no bucket: bind one in wrangler.jsonc, "r2_buckets": [{ "binding": "CONTENTS", "bucket_name": "your-bucket" }], and give env.CONTENTS.',
      { data: { missing: 'r2_buckets' } },
    );
  }
  if (!/^[\w/.-]{1,200}$/.test(prefix)) {
    const message =
      'The prefix of the large contents has 1 to 200 characters of A-z, 0-9, "/", "-", "_" and ".".';
    throw new SdkError('bad-usage', message, { data: { prefix } });
  }
  if (minBytes >= 65_536) return;
  const message =
    'minBytes is at least 65536: smaller contents cost less in the database than in a bucket.';
  throw new SdkError('bad-usage', message, { data: { minBytes } });
}

/** For `openDoSqliteLog`. Sends no request to the bucket yet. */
export function openR2Contents(
  options: R2ContentsOptions,
): (sql: OwnedSql, workspace: string) => ContentStore {
  checkR2Contents(options);
  return (sql, workspace) => new R2Contents(sql, workspace, options);
}

/**
 * Deletes everything that a storage has in the bucket. Used when the storage is deleted. Rejects
 * with `EIO`.
 */
export async function deleteR2Contents(
  storage: DurableStorage,
  { bucket, prefix }: Pick<R2ContentsOptions, 'bucket' | 'prefix'>,
): Promise<void> {
  const keys = listContents(storage).map((row) => toKey(prefix, row));
  await deleteAll(bucket, keys);
}

class R2Contents implements ContentStore {
  readonly minBytes: number;
  readonly #bucket: ContentsBucket;
  readonly #prefix: string;
  readonly #keepMs: number;
  readonly #gate: ConnectionGate | undefined;
  readonly #table: ContentTable;
  /** By hash, so that equal contents that are put at the same time are uploaded once. */
  readonly #putting = new Map<string, Promise<string>>();
  readonly #rows = new Map<string, ContentRow>();
  /** By content: a read waits for the one before it, which may fetch the same parts. */
  readonly #reading = new Map<number, Promise<unknown>>();
  #deleting: Promise<void> = Promise.resolve();

  constructor(sql: OwnedSql, workspace: string, options: R2ContentsOptions) {
    const { bucket, prefix, minBytes = 1_000_000, cacheBytes = 64 * partBytes } = options;
    this.#bucket = bucket;
    this.#prefix = prefix;
    this.minBytes = minBytes;
    this.#keepMs = options.keepMs ?? weekMs;
    this.#gate = options.gate;
    this.#table = new ContentTable(sql, workspace, cacheBytes);
  }

  async put(bytes: Uint8Array): Promise<string> {
    const digest = await sha256(bytes);
    const hash = toHex(new Uint8Array(digest));
    const under = this.#putting.get(hash);
    if (under) return under;
    const putting = this.#putNow(bytes, digest, hash).finally(() => this.#putting.delete(hash));
    this.#putting.set(hash, putting);
    return putting;
  }

  file(name: string): ReadFile {
    return {
      read: (offset, length) => this.#read(this.#rowOf(name), offset, length),
      readSync: (offset, length) => this.#readSync(this.#rowOf(name), offset, length),
      // Nothing to close, because the bucket belongs to its binding.
      close: () => {},
    };
  }

  isEmpty(): boolean {
    return this.#table.isEmpty();
  }

  sweep(needed: ReadonlySet<string>): ReadonlySet<string> {
    const now = Date.now();
    const doomed: ContentRow[] = [];
    for (const row of this.#table.all()) {
      if (needed.has(row.name)) {
        if (row.unused !== null) this.#table.set(row.id, row.state, null);
      } else if (this.#putting.has(row.hash)) {
        // The commit of this content is about to be written.
      } else if (row.state === 'doomed') doomed.push(row);
      else if (row.unused === null) this.#table.set(row.id, row.state, now);
      else if (row.unused + this.#keepMs <= now) {
        // Marked before it is deleted, so that its name isn't given out any more.
        this.#table.set(row.id, 'doomed', row.unused);
        doomed.push(row);
      }
    }
    if (doomed.length > 0) {
      // A failed deletion is repeated at the next opening.
      this.#deleting = this.#delete(doomed).catch(() => undefined);
    }
    for (const { name } of doomed) this.#rows.delete(name);
    return new Set(doomed.map(({ name }) => name));
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#putting.values());
    await this.#deleting;
  }

  async #putNow(bytes: Uint8Array, digest: ArrayBuffer, hash: string): Promise<string> {
    const kept = this.#table.findKept(hash, bytes.length);
    if (kept) {
      // The content is in use again.
      if (kept.unused !== null) this.#table.set(kept.id, 'kept', null);
      return kept.name;
    }
    const parts = toParts(bytes);
    const sums = new Uint8Array(32 * parts.length);
    for (const [at, part] of parts.entries()) sums.set(new Uint8Array(await sha256(part)), 32 * at);
    const row = this.#table.add({ hash, length: bytes.length, sums }, Date.now());
    await this.#ask('take a large file', () =>
      this.#bucket.put(toKey(this.#prefix, row), bytes, { sha256: digest }),
    );
    this.#table.set(row.id, 'kept', null);
    this.#table.cache(row, new Map(parts.entries()));
    return row.name;
  }

  #rowOf(name: string): ContentRow {
    const known = this.#rows.get(name);
    if (known) return known;
    const parsed = parseStoredName(name);
    const row = parsed && this.#table.find(parsed.id);
    if (!row || row.hash !== parsed.hash) throw createForgottenError(name);
    this.#rows.set(name, row);
    return row;
  }

  async #read(row: ContentRow, offset: number, length: number): Promise<Uint8Array> {
    requireInside(row.name, row.length, offset, length);
    const before = this.#reading.get(row.id);
    const reading = (before ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => this.#readNow(row, offset, length));
    this.#reading.set(row.id, reading);
    try {
      return await reading;
    } finally {
      if (this.#reading.get(row.id) === reading) this.#reading.delete(row.id);
    }
  }

  async #readNow(row: ContentRow, offset: number, length: number): Promise<Uint8Array> {
    const parts = new Map<number, Uint8Array>();
    const missing: number[] = [];
    for (const part of partsOf(offset, length)) {
      const cached = this.#table.part(row.id, part);
      if (cached) parts.set(part, cached);
      else missing.push(part);
    }
    const [first, last] = [missing[0], missing.at(-1)];
    if (first !== undefined && last !== undefined) {
      const brought = await this.#fetch(row, first, last);
      for (const [part, bytes] of brought) parts.set(part, bytes);
      this.#table.cache(row, brought);
    } else this.#table.touch(row.id);
    return join(parts, offset, length);
  }

  #readSync(row: ContentRow, offset: number, length: number): Uint8Array {
    requireInside(row.name, row.length, offset, length);
    const parts = new Map<number, Uint8Array>();
    for (const part of partsOf(offset, length)) {
      const cached = this.#table.part(row.id, part);
      if (!cached) throw notHere(row);
      parts.set(part, cached);
    }
    this.#table.touch(row.id);
    return join(parts, offset, length);
  }

  /**
   * Fetches the parts from `first` to `last` in one request, because the number of requests in an
   * event is limited. Each part is verified. An answer may be damaged on its way, and variables that
   * count as lost are gone for good: so the object counts as damaged after a second answer.
   */
  async #fetch(row: ContentRow, first: number, last: number): Promise<Map<number, Uint8Array>> {
    const offset = first * partBytes;
    const length = Math.min((last + 1) * partBytes, row.length) - offset;
    for (let answers = 0; answers < 2; answers += 1) {
      const bytes = await this.#get(row, offset, length);
      const parts = bytes.length === length ? await verify(row, first, bytes) : undefined;
      if (parts) return parts;
    }
    throw this.#lose(row, createOtherContentError(row));
  }

  async #get(row: ContentRow, offset: number, length: number): Promise<Uint8Array> {
    const bytes = await this.#ask('give a large file', async () => {
      const range = { offset, length };
      try {
        const found = await this.#bucket.get(toKey(this.#prefix, row), { range });
        return found && new Uint8Array(await found.arrayBuffer());
      } catch (error) {
        if (isBehindEnd(error)) return new Uint8Array(0);
        throw error;
      }
    });
    if (!bytes) throw this.#lose(row, createGoneError(row));
    return bytes;
  }

  #lose(row: ContentRow, error: SdkError): SdkError {
    this.#table.noteLost(row);
    return error;
  }

  async #delete(rows: readonly ContentRow[]): Promise<void> {
    const keys = rows.map((row) => toKey(this.#prefix, row));
    await deleteAll(this.#bucket, keys, this.#gate);
    for (const { id } of rows) this.#table.remove(id);
  }

  /**
   * A failed request is repeated once, within its time limit: each is idempotent, and buckets fail now and then. An
   * opening reads many objects, so one failure would prevent it for a minute or longer.
   */
  #ask<Value>(what: string, request: () => Promise<Value>): Promise<Value> {
    const asked = { whose: "the large files'", what };
    return inTurn(this.#gate, () => askBucket(asked, request().catch(request)));
  }
}

/** R2's error code for a range that begins behind the object's end. */
function isBehindEnd(error: unknown): boolean {
  return error instanceof Error && error.message.includes('(10039)');
}

async function deleteAll(
  bucket: ContentsBucket,
  keys: readonly string[],
  gate?: ConnectionGate,
): Promise<void> {
  const asked = { whose: "the large files'", what: 'delete' };
  for (let at = 0; at < keys.length; at += mostAtOnce) {
    const some = keys.slice(at, at + mostAtOnce);
    await inTurn(gate, () => askBucket(asked, bucket.delete(some)));
  }
}

async function inTurn<Value>(
  gate: ConnectionGate | undefined,
  request: () => Promise<Value>,
): Promise<Value> {
  const release = await gate?.connect();
  try {
    return await request();
  } finally {
    release?.();
  }
}

function toKey(prefix: string, { hash, id }: Pick<ContentRow, 'hash' | 'id'>): string {
  return `${prefix}${hash}-${id}`;
}

/** The parts from `first` on. Undefined: one of them has other bytes. */
async function verify(
  { sums }: ContentRow,
  first: number,
  bytes: Uint8Array,
): Promise<Map<number, Uint8Array> | undefined> {
  const parts = new Map<number, Uint8Array>();
  for (const [at, part] of toParts(bytes).entries()) {
    const sum = new Uint8Array(await sha256(part));
    const wanted = sums.subarray(32 * (first + at), 32 * (first + at + 1));
    if (sum.some((byte, index) => byte !== wanted[index])) return undefined;
    parts.set(first + at, part);
  }
  return parts;
}

function toParts(bytes: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += partBytes) {
    parts.push(bytes.subarray(at, at + partBytes));
  }
  return parts;
}

/** Returns the numbers of the parts that contain these bytes. */
function partsOf(offset: number, length: number): number[] {
  const first = Math.floor(offset / partBytes);
  const count = Math.ceil((offset + length) / partBytes) - first;
  return Array.from({ length: Math.max(count, 0) }, (_, at) => first + at);
}

function join(parts: ReadonlyMap<number, Uint8Array>, offset: number, length: number): Uint8Array {
  const result = new Uint8Array(length);
  for (const [part, bytes] of parts) {
    const start = part * partBytes;
    const from = Math.max(offset, start);
    const to = Math.min(offset + length, start + bytes.length);
    if (from < to) result.set(bytes.subarray(from - start, to - start), from - offset);
  }
  return result;
}

function sha256(bytes: Uint8Array): Promise<ArrayBuffer> {
  return crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>);
}

function notHere({ name, length }: ContentRow): SdkError {
  return new SdkError(
    'unsupported-environment',
    `This file (${length} bytes) is in a bucket and can't be read synchronously; use the promises.`,
    { data: { name } },
  );
}

function createGoneError({ name }: ContentRow): SdkError {
  return new SdkError(
    'EIO',
    `EIO: these bytes are gone: the bucket has no object ${name.slice('content-'.length)} any more. Bind the bucket that has it, or bring the object back from a copy. A file can be written again, too.`,
    { data: { name, isLost: true } },
  );
}

/** The error for a content that was deleted together with its row. */
function createForgottenError(name: string): SdkError {
  return new SdkError(
    'EIO',
    "EIO: this file's bytes are gone: they were deleted from the bucket, as nothing had needed them for long. Write the file again.",
    { data: { name, isLost: true } },
  );
}

function createOtherContentError({ name }: ContentRow): SdkError {
  return new SdkError(
    'EIO',
    `EIO: this file is damaged: the bucket's object ${name.slice('content-'.length)} has other bytes than were put there. Bring the object back from a copy, or write the file again.`,
    { data: { name, isLost: true } },
  );
}
