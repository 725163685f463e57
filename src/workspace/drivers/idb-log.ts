// The idb-log driver: keeps a workspace's log in one IndexedDB database. It is for browsers and
// realms without synchronous OPFS handles (WebKitGTK, a page's main thread), in workers and pages.
import { settleRequest } from '../../core/async/settle-request.ts';
import { SdkError } from '../../core/errors.ts';
import type { LogMedium } from '../log/log-medium.ts';
import { IdbConnection, idbStoreNames, toIdbError } from './idb-connection.ts';
import { IdbFile, rowsFrom } from './idb-file.ts';
import { createBusyError, requireFileName, requireWorkspaceName } from './refusals.ts';
import { acquireWorkspaceLock, takeWorkspaceLock } from './workspace-lock.ts';

/** How long the driver waits for another owner. */
export interface IdbLogOptions {
  /**
   * How long to wait for a lock or a database that another owner still holds, in milliseconds.
   * @defaultValue 4 s: in Chromium a terminated busy worker, and what it holds, exist for 2 s more.
   */
  readonly patienceMs?: number;
}

/** Also whether to take over the log from an owner that is frozen. */
export interface OpenIdbLogOptions extends IdbLogOptions {
  /**
   * Takes the lock from its holder, such as a frozen tab that doesn't answer. When that tab
   * resumes, its writes are refused with `EFENCED`. @defaultValue false
   */
  readonly takeOver?: boolean;
}

/** The version of the stores' layout. The contents of files have a version of their own. */
const formatVersion = 1;
const defaultPatienceMs = 4000;

/**
 * Opens or creates a workspace's database and takes ownership. From then on writes of a former
 * owner fail with `EFENCED`. Each write checks the owner in its own transaction, so even a worker
 * that is terminated during a write can't change what this owner has read.
 * `process` uses relaxed transactions, `power` strict ones. There are no synchronous reads.
 * Rejects with `EBUSY` if another tab or worker has the workspace open; `unsupported-environment`
 * if IndexedDB is missing or refused (some private windows); `invalid-input` for an invalid name;
 * `ENOSPC` if there is no room to create it; otherwise `EIO`, also for a database of a newer
 * version, which isn't changed.
 */
export async function openIdbLog(
  name: string,
  options: OpenIdbLogOptions = {},
): Promise<LogMedium> {
  const patienceMs = options.patienceMs ?? defaultPatienceMs;
  requireWorkspaceName(name);
  requireIndexedDb();
  const releaseLock = options.takeOver
    ? await takeWorkspaceLock(name)
    : await acquireWorkspaceLock(name, patienceMs);
  try {
    const connection = await withPatience(name, patienceMs, (signal) => connect(name, signal));
    return createMedium(connection, releaseLock);
  } catch (error) {
    releaseLock();
    throw error;
  }
}

/**
 * Deletes a workspace's database for good. Rejects with `EBUSY` while it is open anywhere. A tab
 * that has it open without the lock (an insecure page, a terminated worker) loses it.
 */
export async function deleteIdbLog(name: string, options: IdbLogOptions = {}): Promise<void> {
  const patienceMs = options.patienceMs ?? defaultPatienceMs;
  requireWorkspaceName(name);
  requireIndexedDb();
  const releaseLock = await acquireWorkspaceLock(name, patienceMs);
  try {
    const request = indexedDB.deleteDatabase(databaseName(name));
    await withPatience(name, patienceMs, () => settleRequest(request));
  } finally {
    releaseLock();
  }
}

/** True if the workspace has a database. Doesn't create one. Rejects as {@link openIdbLog} does. */
export async function hasIdbLog(name: string): Promise<boolean> {
  requireWorkspaceName(name);
  requireIndexedDb();
  const request = requestDatabase(name);
  let isNew = false;
  // Not every browser can list its databases, but opening one can be aborted before it is created.
  request.addEventListener('upgradeneeded', () => {
    isNew = true;
    request.transaction?.abort();
  });
  try {
    const database = await settleRequest(request);
    database.close();
    return true;
  } catch (error) {
    if (isNew) return false;
    throw toOpeningError(error);
  }
}

function createMedium(connection: IdbConnection, releaseLock: () => void): LogMedium {
  return {
    driver: 'idb-log',
    isPersistent: true,
    async list() {
      let lengths: IDBRequest<{ readonly length: number }[]> | undefined;
      const names = await connection.read((transaction) => {
        lengths = transaction.objectStore('files').getAll();
        return transaction.objectStore('files').getAllKeys();
      });
      return names.map((key, at) => ({
        name: String(key),
        length: lengths?.result[at]?.length ?? 0,
      }));
    },
    async create(name) {
      requireFileName(name);
      return IdbFile.create(connection, name);
    },
    async open(name) {
      requireFileName(name);
      return IdbFile.open(connection, name);
    },
    async remove(name) {
      requireFileName(name);
      await connection.write('process', (transaction) => {
        transaction.objectStore('chunks').delete(rowsFrom(name));
        transaction.objectStore('files').delete(name);
      });
    },
    checkFence: () => connection.checkOwnership(),
    async close() {
      connection.close();
      releaseLock();
    },
  };
}

async function connect(name: string, signal: AbortSignal): Promise<IdbConnection> {
  const request = requestDatabase(name, formatVersion);
  request.addEventListener('upgradeneeded', () => {
    for (const store of idbStoreNames) request.result.createObjectStore(store);
  });
  const database = await settleRequest(request).catch((error: unknown) => {
    throw toOpeningError(error);
  });
  const connection = new IdbConnection(database, createToken());
  try {
    await connection.takeOwnership(signal);
    // Too late: the caller has given up on the connection.
    signal.throwIfAborted();
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Some browsers report a refusal by an event, others throw. */
function requestDatabase(name: string, version?: number): IDBOpenDBRequest {
  try {
    return indexedDB.open(databaseName(name), version);
  } catch (error) {
    throw toOpeningError(error);
  }
}

/** Returns a random name for one ownership. `randomUUID` is missing in insecure pages. */
function createToken(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

function databaseName(name: string): string {
  return `rockpool:${name}`;
}

function requireIndexedDb(): void {
  if (typeof indexedDB === 'undefined') throw missing();
}

/** Rejects with `EBUSY` if a tab that hangs blocks the database. The work is then aborted. */
async function withPatience<Value>(
  name: string,
  patienceMs: number,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const patience = new AbortController();
  const { signal } = patience;
  const timer = setTimeout(() => patience.abort(createBusyError(name)), patienceMs);
  const late = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
  try {
    return await Promise.race([work(signal), late]);
  } finally {
    clearTimeout(timer);
  }
}

function toOpeningError(error: unknown): SdkError {
  const name = error instanceof Error ? error.name : '';
  if (name === 'VersionError') {
    return new SdkError(
      'EIO',
      'EIO: this workspace was made by a newer version of this software, and was left as it is. ' +
        'Reload the page to get that version.',
      { cause: error },
    );
  }
  const isRefused = /^(SecurityError|InvalidStateError|NotSupportedError)$/.test(name);
  return isRefused ? missing(error) : toIdbError(error);
}

function missing(cause?: unknown): SdkError {
  const reason = cause instanceof Error ? ` (${cause.name}: ${cause.message})` : '';
  return new SdkError(
    'unsupported-environment',
    `This browser or window can't keep a workspace in IndexedDB: it is missing or refused${reason}. ` +
      'Use a current browser, outside private mode, and let this site keep data.',
    { data: { api: 'indexedDB' }, cause },
  );
}
