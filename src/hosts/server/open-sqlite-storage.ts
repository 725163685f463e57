// A Durable Object's storage over a SQLite file, for Node, Deno and Bun: the part of it that do-sqlite.ts and a
// session use.
import { SdkError, describeThrown } from '../../core/errors.ts';
import type { DurableStorage, SqlValue } from '../../workspace/drivers/do-sqlite.ts';
import { loadSqlite } from './sqlite-module.ts';
import type { OpenDatabase, SqliteDatabase } from './sqlite-module.ts';

/** To be given to `createEdgeHost`. Dispose it to let go of the file. */
export interface SqliteStorage extends DurableStorage, Disposable {
  readonly sql: DurableStorage['sql'] & {
    /** What all of it takes, in bytes. */
    readonly databaseSize: number;
  };
}

/**
 * Opens a SQLite database file, or creates it. A write is on the disk when the call returns, so
 * neither a killed process nor a power failure loses it. So each write waits for the disk, a few
 * milliseconds. SQLite also writes `<path>-wal`: keep the two files together.
 *
 * The storage locks the file until it is disposed or the process ends.
 *
 * @throws SdkError `EBUSY` if another process or storage has the file open. `EIO` if it isn't a
 * database or can't be opened. `unsupported-environment` if the runtime has no SQLite: Node before
 * 22.13
 *
 * @example
 * ```ts
 * using storage = await openSqliteStorage('agent.sqlite');
 * await using host = await createEdgeHost({ wasm, storage });
 * ```
 */
export async function openSqliteStorage(path: string): Promise<SqliteStorage> {
  return openStorageFile(await loadSqlite(), path);
}

/** See {@link openSqliteStorage}; with SQLite at hand it works at once. */
export function openStorageFile(openDatabase: OpenDatabase, path: string): SqliteStorage {
  const database = openOwned(openDatabase, path);
  let isClosed = false;

  function run(text: string, ...bindings: readonly unknown[]): unknown[] {
    if (isClosed) throw new SdkError('EIO', `EIO: ${path} was closed.`, { data: { path } });
    return database.run(text, bindings);
  }

  function roll(): void {
    run('ROLLBACK TO rockpool');
    run('RELEASE rockpool');
  }

  return {
    sql: {
      exec(query, ...bindings) {
        const rows = run(query, ...bindings.map(toBinding)).map(toRow);
        return { toArray: () => rows };
      },
      get databaseSize() {
        const [pages] = run('PRAGMA page_count') as { readonly page_count: number }[];
        const [size] = run('PRAGMA page_size') as { readonly page_size: number }[];
        return (pages?.page_count ?? 0) * (size?.page_size ?? 0);
      },
    },
    transactionSync(closure) {
      run('SAVEPOINT rockpool');
      try {
        const value = closure();
        run('RELEASE rockpool');
        return value;
      } catch (error) {
        // A full disk has rolled all of it back already, and says so of this.
        attempt(roll);
        throw error;
      }
    },
    [Symbol.dispose]() {
      if (isClosed) return;
      isClosed = true;
      database.close();
    },
  };
}

function openOwned(openDatabase: OpenDatabase, path: string): SqliteDatabase {
  let database: SqliteDatabase | undefined;
  try {
    database = openDatabase(path);
    const settings = [
      // Taken with the first write and kept: so no second process runs the same session.
      'PRAGMA locking_mode = EXCLUSIVE',
      'PRAGMA journal_mode = WAL',
      // Each commit is flushed to the disk before it returns.
      'PRAGMA synchronous = FULL',
      'CREATE TABLE IF NOT EXISTS rockpool_storage (format INTEGER PRIMARY KEY)',
      'INSERT OR IGNORE INTO rockpool_storage (format) VALUES (1)',
    ];
    for (const text of settings) database.run(text, []);
    return database;
  } catch (cause) {
    database?.close();
    const reason = describeThrown(cause);
    const isBusy = /locked|SQLITE_BUSY/u.test(reason);
    throw isBusy
      ? new SdkError('EBUSY', `EBUSY: ${path} is open in another process. End that one first.`, {
          data: { path },
          cause,
        })
      : new SdkError('EIO', `EIO: ${path} can't be opened as a database: ${reason}`, {
          data: { path },
          cause,
        });
  }
}

function toBinding(value: SqlValue | Uint8Array): Exclude<SqlValue, ArrayBuffer> | Uint8Array {
  return value instanceof ArrayBuffer ? new Uint8Array(value) : value;
}

/** Bytes as a Durable Object gives them. */
function toRow(row: unknown): Record<string, SqlValue> {
  const entries = Object.entries(row as Record<string, SqlValue | Uint8Array<ArrayBuffer>>);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value instanceof Uint8Array ? toBuffer(value) : value]),
  );
}

function toBuffer(bytes: Uint8Array<ArrayBuffer>): ArrayBuffer {
  const isWhole = bytes.byteLength === bytes.buffer.byteLength;
  return isWhole ? bytes.buffer : bytes.slice().buffer;
}

function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // What has failed before is what is thrown.
  }
}
