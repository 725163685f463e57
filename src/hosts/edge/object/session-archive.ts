// Archives a session that was idle for long as one object in an R2 bucket. It uploads the session's
// rows, then deletes them here, and restores them before the next opening. Used by
// create-session-object.ts.
import { createId } from '../../../core/ids.ts';
import { isRecord } from '../../../core/values/is-record.ts';
import { fileSpan } from '../../../workspace/drivers/do-sqlite-file.ts';
import type { SqlValue } from '../../../workspace/drivers/do-sqlite.ts';
import { askArchive, checkBucket } from './archive-bucket.ts';
import type { ArchiveBucket, ArchivePart, ArchiveUpload } from './archive-bucket.ts';
import {
  createPartWriter,
  frameKinds,
  missingArchive,
  readFrames,
  wrongBytes,
} from './archive-frames.ts';
import type { ObjectStorage } from './durable-context.ts';

/** Where and when a session is archived. */
export interface SessionArchiveOptions {
  readonly bucket: ArchiveBucket;
  /** Milliseconds after its last use. @defaultValue 30 days */
  readonly after?: number;
}

/** The archive of one session. */
export interface SessionArchive {
  readonly after: number;
  /**
   * Uploads the session and deletes its rows, unless it is archived already or is used meanwhile.
   * `isQuiet` is called before each part and at the end. Rejects with `EIO` if the bucket fails;
   * the session is then unchanged.
   */
  put(isQuiet: () => boolean): Promise<void>;
  /**
   * Restores the session if it is archived. Rejects with `EIO` if the bucket fails or returns other
   * bytes.
   */
  restore(): Promise<void>;
  /**
   * Has the session archived at its next release, without waiting for `after`. The request ends
   * when it is archived.
   */
  want(): void;
  isWanted(): boolean;
  /** True if the session is only in the bucket. */
  isPut(): boolean;
  /**
   * Call it when `put` has failed. Returns the delay before the next attempt in milliseconds: one
   * minute, then doubled, at most a day.
   */
  putOff(): number;
  /** Call it for a session that is deleted. Waits for a running `put`. Rejects with `EIO`. */
  remove(): Promise<void>;
}

const minuteMs = 60 * 1_000;

const dayMs = 24 * 60 * 60 * 1_000;

/** 64 rows of 64 kB are 4 MB at a time. */
const rowsAtOnce = 64;

/** The name of the session's workspace. Its class may have others in the same database. */
const sessionWorkspace = 'workspace';

const isOwn = `key / ${fileSpan} IN (SELECT id FROM rockpool_file WHERE workspace = '${sessionWorkspace}')`;

/**
 * `put`: the token of an archived session. `left`: the token of an archive that may exist but isn't
 * needed. `wait`: a delay in milliseconds.
 */
const rowOf = { put: 1, wanted: 2, left: 3, wait: 4 } as const;

const tableSql =
  'CREATE TABLE IF NOT EXISTS rockpool_archive (one INTEGER PRIMARY KEY, token TEXT NOT NULL)';

/**
 * Only creates its table. `name`: the session's name in the bucket.
 *
 * @throws SdkError `bad-usage` if the value isn't a bucket
 */
export function createSessionArchive(
  storage: ObjectStorage,
  { bucket, after = 30 * dayMs }: SessionArchiveOptions,
  name: string,
): SessionArchive {
  checkBucket(bucket);
  const { sql } = storage;
  sql.exec(tableSql);
  // Each archive has its own key, so a late request of a cancelled upload can't overwrite another
  // archive.
  const keyOf = (token: string) => `rockpool/sessions/${name}/${token}`;

  let putting: Promise<void> = Promise.resolve();
  /** The upload may succeed even if it was given up. */
  let completing: Promise<unknown> = Promise.resolve();
  let isComing = false;

  const readToken = (one: number = rowOf.put): string | undefined => {
    const [row] = sql.exec('SELECT token FROM rockpool_archive WHERE one = ?', one).toArray();
    return row && String(row['token']);
  };
  const removeObject = (token: string) =>
    askArchive('remove a session', bucket.delete(keyOf(token)));
  const removeLeft = async (): Promise<void> => {
    const token = readToken(rowOf.left);
    if (token === undefined) return;
    await removeObject(token);
    sql.exec('DELETE FROM rockpool_archive WHERE one = ? AND token = ?', rowOf.left, token);
  };
  const hasRows = (): boolean => {
    const find = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'rockpool_row'";
    if (sql.exec(find).toArray().length === 0) return false;
    return sql.exec(`SELECT key FROM rockpool_row WHERE ${isOwn} LIMIT 1`).toArray().length > 0;
  };
  const removeRows = (): void => {
    sql.exec(`DELETE FROM rockpool_row WHERE ${isOwn}`);
    sql.exec(`DELETE FROM rockpool_file WHERE workspace = '${sessionWorkspace}'`);
  };

  /**
   * Uploads the rows. Resolves to false if the session is used again; the bucket then has nothing.
   */
  async function upload(
    to: ArchiveUpload,
    token: string,
    isQuiet: () => boolean,
  ): Promise<boolean> {
    const writer = createPartWriter();
    const parts: ArchivePart[] = [];
    const send = async (bytes: Uint8Array) => {
      const request = to.uploadPart(parts.length + 1, bytes);
      parts.push(await askArchive('take a session', request));
    };
    const add = async (kind: number, bytes: Uint8Array) => {
      for (const part of writer.add({ kind, bytes })) await send(part);
    };
    const listText = `SELECT id, workspace, name FROM rockpool_file WHERE workspace = '${sessionWorkspace}'`;
    const files = sql.exec(listText).toArray();
    await add(frameKinds.head, toJson({ token, files }));
    let rows = 0;
    for (let last = -1; ;) {
      if (!isQuiet()) return false;
      const text = `SELECT key, bytes FROM rockpool_row WHERE key > ? AND ${isOwn} ORDER BY key LIMIT ?`;
      const some = sql.exec(text, last, rowsAtOnce).toArray();
      for (const row of some) {
        last = Number(row['key']);
        await add(frameKinds.row, toRowBytes(last, row['bytes']));
        rows += 1;
      }
      if (some.length < rowsAtOnce) break;
    }
    await add(frameKinds.end, toJson({ rows }));
    await send(writer.rest());
    if (!isQuiet()) return false;
    completing = to.complete(parts);
    await askArchive('keep a session', completing);
    return true;
  }

  async function putNow(isQuiet: () => boolean): Promise<void> {
    if (readToken() !== undefined || !hasRows()) return;
    await removeLeft();
    const token = createId();
    // Written before the upload: if the instance is lost meanwhile, this row has the upload
    // removed.
    sql.exec('INSERT INTO rockpool_archive (one, token) VALUES (?, ?)', rowOf.left, token);
    const to = await askArchive('take a session', bucket.createMultipartUpload(keyOf(token)));
    let isThere = false;
    try {
      isThere = await upload(to, token, isQuiet);
    } finally {
      // If that fails, the bucket discards the upload by itself after a week.
      if (!isThere) await askArchive('forget a session', to.abort()).catch(() => undefined);
    }
    if (!isThere) return;
    if (!isQuiet()) {
      // If it can't be removed now, it is removed later, as after a restore.
      await removeLeft().catch(() => undefined);
      return;
    }
    storage.transactionSync(() => {
      removeRows();
      sql.exec('DELETE FROM rockpool_archive');
      sql.exec('INSERT INTO rockpool_archive (one, token) VALUES (?, ?)', rowOf.put, token);
    });
  }

  async function readBack(token: string): Promise<void> {
    const found = await askArchive('give a session back', bucket.get(keyOf(token)));
    if (!found) throw missingArchive(keyOf(token));
    // The rows that an earlier attempt has left.
    removeRows();
    let rows = 0;
    let hasHead = false;
    let isWhole = false;
    const frames = readFrames(found.body);
    const next = () => askArchive('give a session back', frames.next());
    try {
      for (let frame = await next(); !frame.done; frame = await next()) {
        const { kind, bytes } = frame.value;
        // The checksum doesn't cover the kind. A damaged one must not make a frame count as nothing.
        const isExpected = hasHead
          ? kind === frameKinds.row || kind === frameKinds.end
          : kind === frameKinds.head;
        if (isWhole || !isExpected) throw wrongBytes();
        if (kind === frameKinds.head) {
          restoreFiles(fromJson(bytes), token);
          hasHead = true;
        } else if (kind === frameKinds.row) {
          const { key: rowKey, rest } = fromRowBytes(bytes);
          sql.exec('INSERT INTO rockpool_row (key, bytes) VALUES (?, ?)', rowKey, rest);
          rows += 1;
        } else {
          if (fromJson(bytes)['rows'] !== rows) throw wrongBytes();
          isWhole = true;
        }
      }
    } finally {
      // Not awaited, because it would wait for a slow bucket.
      void frames.return().catch(() => undefined);
    }
    if (!isWhole) throw wrongBytes();
  }

  function restoreFiles(head: Readonly<Record<string, unknown>>, token: string): void {
    // An archive of another time has other rows.
    if (head['token'] !== token || !Array.isArray(head['files'])) throw wrongBytes();
    for (const file of head['files'] as Readonly<Record<string, SqlValue>>[]) {
      const { id = null, workspace = null, name: fileName = null } = file;
      const text = 'INSERT INTO rockpool_file (id, workspace, name) VALUES (?, ?, ?)';
      sql.exec(text, id, workspace, fileName);
    }
  }

  return {
    after,
    put(isQuiet) {
      const run = putNow(isQuiet);
      putting = run.catch(() => undefined);
      return run;
    },
    async restore() {
      const token = readToken();
      if (token === undefined) return;
      isComing = true;
      try {
        await readBack(token);
      } catch (error) {
        removeRows();
        // The session is still archived.
        sql.exec('DELETE FROM rockpool_archive WHERE one = ?', rowOf.wanted);
        throw error;
      } finally {
        isComing = false;
      }
      sql.exec('UPDATE rockpool_archive SET one = ? WHERE one = ?', rowOf.left, rowOf.put);
      // An archive that couldn't be removed is removed before the next one is uploaded, or with the
      // session. Until then nobody reads it.
      await removeLeft().catch(() => undefined);
    },
    want() {
      if (readToken() !== undefined && !isComing) return;
      const text = "INSERT OR REPLACE INTO rockpool_archive (one, token) VALUES (?, '')";
      sql.exec(text, rowOf.wanted);
    },
    isWanted: () => readToken(rowOf.wanted) !== undefined,
    isPut: () => readToken() !== undefined,
    putOff() {
      const before = Number(readToken(rowOf.wait) ?? minuteMs / 2);
      const wait = Math.min(before * 2, dayMs);
      const text = 'INSERT OR REPLACE INTO rockpool_archive (one, token) VALUES (?, ?)';
      sql.exec(text, rowOf.wait, String(wait));
      return wait;
    },
    async remove() {
      await putting;
      await askArchive('keep a session', Promise.allSettled([completing]));
      for (const token of [readToken(), readToken(rowOf.left)]) {
        if (token !== undefined) await removeObject(token);
      }
    },
  };
}

function toRowBytes(key: number, value: SqlValue | undefined): Uint8Array {
  const bytes = value instanceof ArrayBuffer ? new Uint8Array(value) : new Uint8Array(0);
  const both = new Uint8Array(8 + bytes.length);
  new DataView(both.buffer).setFloat64(0, key);
  both.set(bytes, 8);
  return both;
}

/** The inverse of `toRowBytes`. */
function fromRowBytes(bytes: Uint8Array): { readonly key: number; readonly rest: Uint8Array } {
  if (bytes.length < 8) throw wrongBytes();
  const key = new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0);
  return { key, rest: bytes.slice(8) };
}

function toJson(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

function fromJson(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw wrongBytes();
  }
  if (!isRecord(value)) throw wrongBytes();
  return value;
}
