// The do-sqlite driver: keeps a workspace's log in the SQLite database of a Durable Object.
// `ctx.storage` has a structural type, so the driver compiles without the Workers types.
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

/** The values that SQLite accepts and returns. */
export type SqlValue = ArrayBuffer | string | number | null;

/** The part of a Durable Object's `ctx.storage` that the driver uses. */
export interface DurableStorage {
  readonly sql: {
    exec(
      query: string,
      ...bindings: (SqlValue | Uint8Array)[]
    ): { toArray(): Record<string, SqlValue>[] };
  };
  /** Rolls back the closure's changes if it throws. */
  transactionSync<Value>(closure: () => Value): Value;
}

/** The database as parts of the driver use it. Every failure is an SdkError. */
export interface OwnedSql {
  query(text: string, ...bindings: (SqlValue | Uint8Array)[]): Record<string, SqlValue>[];
  /**
   * Runs all changes or none. Throws `EFENCED`, without any change, if another owner has the
   * database.
   */
  write<Value>(change: () => Value): Value;
  /** Writes one row of a file and replaces an existing one. Throws as `write` does. */
  putRow(key: number, bytes: Uint8Array): void;
}

/**
 * The token of the newest opening of each workspace in this instance. It takes effect at the
 * opening, and in the database at the first write. So an opening that only reads writes nothing.
 */
const newestOpenings = new WeakMap<DurableStorage, Map<string, string>>();

/** The version of the tables' layout. The contents of files have a version of their own. */
const schemaVersion = 2;

const schema = [
  'CREATE TABLE IF NOT EXISTS rockpool_schema (version INTEGER NOT NULL)',
  'CREATE TABLE IF NOT EXISTS rockpool_owner (workspace TEXT PRIMARY KEY, token TEXT NOT NULL)',
  `CREATE TABLE IF NOT EXISTS rockpool_file (
    id INTEGER PRIMARY KEY AUTOINCREMENT, workspace TEXT NOT NULL, name TEXT NOT NULL,
    UNIQUE (workspace, name))`,
  'CREATE TABLE IF NOT EXISTS rockpool_row (key INTEGER PRIMARY KEY, bytes BLOB NOT NULL)',
];

/** Version 1 keyed rows by file and start, which billed two rows for each write. */
const fromFirstVersion = [
  `INSERT INTO rockpool_row (key, bytes)
    SELECT file * ${fileSpan} + start, bytes FROM rockpool_chunk`,
  'DROP TABLE rockpool_chunk',
  `UPDATE rockpool_schema SET version = ${schemaVersion}`,
];

const inFile = (file: string) =>
  `key >= ${file} * ${fileSpan} AND key < (${file} + 1) * ${fileSpan}`;

/** Computes the length of a file from its last row. SQLite reads no row data for it. */
const fileLength = `coalesce((SELECT key - rockpool_file.id * ${fileSpan} + length(bytes) FROM rockpool_row
    WHERE ${inFile('rockpool_file.id')} ORDER BY key DESC LIMIT 1), 0)`;

/**
 * Opens or creates a workspace in the database of the Durable Object that runs this code, in tables
 * named `rockpool_*`. A database can hold several workspaces, by name. Only one instance of the
 * object owns its storage. An older instance that still runs, and a second medium of the same
 * workspace, are fenced by a token, which each write checks in its own transaction.
 *
 * Opening an existing workspace writes nothing, so a reply that only reads needn't wait for the
 * disk. The newest medium over the same `storage` object fences earlier ones at once. Over another
 * object, such as a wrapper, it does so with its first write. That write rejects with `EFENCED` if
 * a former owner has written since the files were listed.
 *
 * Both durabilities are the same: a write is in the database's cache when `append` returns. The
 * runtime's output gate holds back replies, messages and requests until all earlier writes are on
 * disk. So anyone outside who learns of a write can rely on it. Code inside the object must await
 * `ctx.storage.sync()` first. All calls complete synchronously, including reads.
 *
 * @throws SdkError `EIO` for tables of a newer version, which aren't changed, and if the database
 * fails; `invalid-input` for an invalid name; `ENOSPC` if the database is full (10 GB for each
 * object). `openContents` opens a store for large contents, with rows of its own in the database.
 */
export function openDoSqliteLog(
  storage: DurableStorage,
  name = 'workspace',
  openContents?: (sql: OwnedSql, workspace: string) => ContentStore,
): LogMedium {
  requireWorkspaceName(name);
  const token = createId();
  const newest = getOrMake(newestOpenings, storage, () => new Map<string, string>());
  // Kept in a variable, because reading `storage.sql` of a Durable Object is a call into the
  // runtime.
  const database = { sql: storage.sql };
  let isClosed = false;
  /**
   * True once the database has this owner's token. Until then it has that of the former owner, if
   * there was one.
   */
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
  /** Called before the first write. Checks that nothing has changed since the opening read it. */
  const becomeOwner = (): void => {
    transact(storage, () => {
      checkFence();
      const isStale = listed && JSON.stringify(listFiles()) !== JSON.stringify(listed);
      if (isStale) throw createFencedError();
      // An update bills one row and doesn't touch the index of the key.
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
  // One statement, where a transaction with a check takes five. A small commit bills one row. If
  // another owner has the workspace, the bytes are NULL, which the table's constraint refuses.
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
 * contents in a bucket stay recorded until the workspace is opened again with that bucket. Opening
 * deletes those that were unused for 7 days. For a session's object, `deleteArchive` deletes them
 * at once.
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
  // An opening that only reads writes nothing, so that a reply needn't wait for the disk.
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

/** Converts SQLite's errors. workerd reports them as text that contains SQLite's code. */
function toSqlError(error: unknown): SdkError {
  if (SdkError.isInstance(error)) return error;
  const isFull = error instanceof Error && /SQLITE_FULL|disk is full/.test(error.message);
  return isFull ? createNoSpaceError(error) : createMediumError(error);
}
