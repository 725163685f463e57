// The do-sqlite driver: a workspace's log in the SQLite database of a Durable Object. It uses a
// structural type for `ctx.storage`, so it compiles without the Workers types.
import { SdkError } from '../../core/errors.ts';
import { getOrMake } from '../../core/values/get-or-make.ts';
import { createId } from '../../core/ids.ts';
import { disownContents } from './content-table.ts';
import type { ContentStore } from '../log/content-store.ts';
import { createNoSpaceError } from '../log/log-error.ts';
import type { LogMedium } from '../log/log-medium.ts';
import { DoSqliteFile, fileSpan } from './do-sqlite-file.ts';
import {
  createClosedError,
  createFencedError,
  createMediumError,
  createMissingFileError,
  requireFileName,
  requireWorkspaceName,
} from './refusals.ts';

/** What SQLite takes and gives. */
export type SqlValue = ArrayBuffer | string | number | null;

/** The part of a Durable Object's `ctx.storage` that the driver uses. */
export interface DurableStorage {
  readonly sql: {
    exec(
      query: string,
      ...bindings: (SqlValue | Uint8Array)[]
    ): { toArray(): Record<string, SqlValue>[] };
  };
  /** Rolls back what the closure did where it throws. */
  transactionSync<Value>(closure: () => Value): Value;
}

/** The database as the driver's parts use it; every failure is one of our errors. */
export interface OwnedSql {
  query(text: string, ...bindings: (SqlValue | Uint8Array)[]): Record<string, SqlValue>[];
  /** All of it or nothing. Throws `EFENCED`, and changes nothing, where another one owns it. */
  write<Value>(change: () => Value): Value;
  /** Puts one row of a file in the place of any before it, or throws as `write` does. */
  putRow(key: number, bytes: Uint8Array): void;
}

/**
 * Which opening of a workspace is the newest in this instance, by its token. It counts from its
 * opening on, and in the database from its first write on. So an opening that only reads writes
 * nothing.
 */
const newestOpenings = new WeakMap<DurableStorage, Map<string, string>>();

/** The layout of the tables; what is in the files has a version of its own. */
const schemaVersion = 2;

const schema = [
  'CREATE TABLE IF NOT EXISTS rockpool_schema (version INTEGER NOT NULL)',
  'CREATE TABLE IF NOT EXISTS rockpool_owner (workspace TEXT PRIMARY KEY, token TEXT NOT NULL)',
  `CREATE TABLE IF NOT EXISTS rockpool_file (
    id INTEGER PRIMARY KEY AUTOINCREMENT, workspace TEXT NOT NULL, name TEXT NOT NULL,
    UNIQUE (workspace, name))`,
  'CREATE TABLE IF NOT EXISTS rockpool_row (key INTEGER PRIMARY KEY, bytes BLOB NOT NULL)',
];

/** The first version kept rows by file and start: two billed rows for each one written. */
const fromFirstVersion = [
  `INSERT INTO rockpool_row (key, bytes)
    SELECT file * ${fileSpan} + start, bytes FROM rockpool_chunk`,
  'DROP TABLE rockpool_chunk',
  `UPDATE rockpool_schema SET version = ${schemaVersion}`,
];

const inFile = (file: string) =>
  `key >= ${file} * ${fileSpan} AND key < (${file} + 1) * ${fileSpan}`;

/** The length of a row of rockpool_file: where its last row ends. SQLite reads no bytes for it. */
const fileLength = `coalesce((SELECT key - rockpool_file.id * ${fileSpan} + length(bytes) FROM rockpool_row
    WHERE ${inFile('rockpool_file.id')} ORDER BY key DESC LIMIT 1), 0)`;

/**
 * Opens, or makes, a workspace in the database of the Durable Object that runs this, in tables
 * named `rockpool_*`. A database can hold several, by their names. The object's one instance owns
 * its storage. An older one that still runs, or a second medium of the same workspace, is fenced by
 * a token. Each write reads the token in its own transaction.
 *
 * Opening what is there writes nothing, so a reply that only reads waits for no disk. The newest medium
 * over the same `storage` fences those before it at once. Over another one (a wrapper) it does so
 * by its first write. That write rejects with `EFENCED` where a former one has written since the
 * files were listed.
 *
 * Both durabilities are the same. A write is in the database's cache when `append` returns. The runtime's output gate
 * holds back everything that leaves the object (replies, messages, requests) until all earlier
 * writes are on disk. So whoever hears of a write from outside can rely on it. Who counts on it
 * inside the object awaits `ctx.storage.sync()` first. All calls work at once, reads too.
 *
 * Throws `EIO` for tables of a newer version, which stay as they are, and where the database fails.
 * Throws `invalid-input` for a name that no driver takes, and `ENOSPC` where the database is full
 * (10 GB an object). `openContents` makes a place for large contents, with rows of its own in the
 * database.
 */
export function openDoSqliteLog(
  storage: DurableStorage,
  name = 'workspace',
  openContents?: (sql: OwnedSql, workspace: string) => ContentStore,
): LogMedium {
  requireWorkspaceName(name);
  const token = createId();
  const newest = getOrMake(newestOpenings, storage, () => new Map<string, string>());
  // Kept: a Durable Object's `storage.sql` is a call into the runtime.
  const database = { sql: storage.sql };
  let isClosed = false;
  /** Does the database say so? Until then the owner before, if there was one, is `former`. */
  let isOwner = false;

  const query: OwnedSql['query'] = (text, ...bindings) => {
    if (isClosed) throw createClosedError();
    return run(database, text, ...bindings);
  };
  const ownerNow = () =>
    query('SELECT token FROM rockpool_owner WHERE workspace = ?', name)[0]?.['token'];
  const checkFence = (): void => {
    const isNewest = newest.get(name) === token;
    if (!isNewest || ownerNow() !== (isOwner ? token : former)) throw createFencedError();
  };
  /** Called before the first write. Nothing that the opening has read may have changed. */
  const becomeOwner = (): void => {
    transact(storage, () => {
      checkFence();
      const isStale = listed && JSON.stringify(listFiles()) !== JSON.stringify(listed);
      if (isStale) throw createFencedError();
      // An update is one billed row, and leaves the key's index alone.
      const take =
        former === undefined
          ? 'INSERT INTO rockpool_owner (token, workspace) VALUES (?, ?)'
          : 'UPDATE rockpool_owner SET token = ? WHERE workspace = ?';
      query(take, token, name);
    });
    isOwner = true;
  };
  const write: OwnedSql['write'] = (change) => {
    if (!isOwner) becomeOwner();
    return transact(storage, () => {
      checkFence();
      return change();
    });
  };
  // One statement instead of the five of a transaction with a check: a small commit is one row. Where another one owns
  // the workspace the bytes are NULL, which the table refuses.
  const putOwned = `INSERT OR REPLACE INTO rockpool_row (key, bytes) VALUES
    (?, (SELECT ? FROM rockpool_owner WHERE workspace = ? AND token = ?))`;
  const putRow: OwnedSql['putRow'] = (key, bytes) => {
    if (newest.get(name) !== token) throw createFencedError();
    if (!isOwner) becomeOwner();
    try {
      query(putOwned, key, bytes, name, token);
    } catch (error) {
      checkFence();
      throw error;
    }
  };
  const sql: OwnedSql = { query, write, putRow };

  const listFiles = () => {
    const text = `SELECT id, name, ${fileLength} AS length
      FROM rockpool_file WHERE workspace = ? ORDER BY id`;
    return query(text, name);
  };
  /** The files as they were before the first write. */
  let listed: ReturnType<typeof listFiles> | undefined;

  const removeNow = (file: string): void => {
    const text = 'SELECT id FROM rockpool_file WHERE workspace = ? AND name = ?';
    const id = query(text, name, file)[0]?.['id'];
    if (id === undefined) return;
    query(`DELETE FROM rockpool_row WHERE ${inFile('?1')}`, id);
    query('DELETE FROM rockpool_file WHERE id = ?', id);
  };

  makeTables(storage);
  const former = ownerNow();
  newest.set(name, token);
  const contents = openContents?.(sql, name);

  return {
    driver: 'do-sqlite',
    isPersistent: true,
    refusesFormerOwners: true,
    ...(contents && { contents }),
    async list() {
      const rows = listFiles();
      if (!isOwner) listed = rows;
      return rows.map((row) => ({ name: String(row['name']), length: Number(row['length']) }));
    },
    async create(file) {
      requireFileName(file);
      const [row] = write(() => {
        removeNow(file);
        const text = 'INSERT INTO rockpool_file (workspace, name) VALUES (?, ?) RETURNING id';
        return query(text, name, file);
      });
      return new DoSqliteFile(sql, { id: Number(row?.['id']), name: file, length: 0 });
    },
    async open(file) {
      requireFileName(file);
      const text = `SELECT id, ${fileLength} AS length
        FROM rockpool_file WHERE workspace = ? AND name = ?`;
      const [row] = query(text, name, file);
      if (!row) throw createMissingFileError(file);
      const [id, length] = [Number(row['id']), Number(row['length'])];
      return new DoSqliteFile(sql, { id, name: file, length });
    },
    async remove(file) {
      requireFileName(file);
      write(() => removeNow(file));
    },
    checkFence,
    async close() {
      await contents?.close();
      isClosed = true;
    },
  };
}

/**
 * Deletes a workspace's rows for good. A writer that has it open gets `EFENCED` from then on. Large
 * contents in a bucket stay there, and are known, until the workspace is opened again with that
 * bucket. Opening deletes those that nothing has needed for 7 days. For a session's object
 * `deleteArchive` deletes them at once.
 */
export function deleteDoSqliteLog(storage: DurableStorage, name = 'workspace'): void {
  requireWorkspaceName(name);
  makeTables(storage);
  transact(storage, () => {
    const files = run(storage, 'SELECT id FROM rockpool_file WHERE workspace = ?', name);
    for (const { id = null } of files) {
      run(storage, `DELETE FROM rockpool_row WHERE ${inFile('?1')}`, id);
    }
    run(storage, 'DELETE FROM rockpool_file WHERE workspace = ?', name);
    run(storage, 'DELETE FROM rockpool_owner WHERE workspace = ?', name);
    disownContents(storage, name);
  });
}

function makeTables(storage: DurableStorage): void {
  // An opening that only reads writes nothing: a reply needn't wait for the disk then.
  const find = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'rockpool_schema'";
  const isThere = run(storage, find).length > 0;
  const read = 'SELECT max(version) AS version FROM rockpool_schema';
  const version = isThere ? run(storage, read)[0]?.['version'] : undefined;
  if (version === schemaVersion) return;
  if (version == null) {
    transact(storage, () => {
      for (const statement of schema) run(storage, statement);
      run(storage, 'INSERT INTO rockpool_schema (version) VALUES (?)', schemaVersion);
    });
  } else if (Number(version) === 1) {
    transact(storage, () => {
      for (const statement of [...schema, ...fromFirstVersion]) run(storage, statement);
    });
  } else if (Number(version) > schemaVersion) {
    throw new SdkError(
      'EIO',
      'EIO: this workspace was made by a newer version of this software, and was left as it is. ' +
        'Deploy that version to open it.',
      { data: { version, supported: schemaVersion } },
    );
  }
}

function run(
  storage: Pick<DurableStorage, 'sql'>,
  text: string,
  ...bindings: (SqlValue | Uint8Array)[]
): Record<string, SqlValue>[] {
  try {
    return storage.sql.exec(text, ...bindings).toArray();
  } catch (error) {
    throw toSqlError(error);
  }
}

function transact<Value>(storage: DurableStorage, change: () => Value): Value {
  try {
    return storage.transactionSync(change);
  } catch (error) {
    throw toSqlError(error);
  }
}

/** SQLite's errors as ours; workerd gives them as a text with SQLite's code in it. */
function toSqlError(error: unknown): SdkError {
  if (SdkError.isInstance(error)) return error;
  const isFull = error instanceof Error && /SQLITE_FULL|disk is full/.test(error.message);
  return isFull ? createNoSpaceError(error) : createMediumError(error);
}
