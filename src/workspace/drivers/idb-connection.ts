// The idb-log driver's connection to IndexedDB. Transactions are promises, each write checks the
// owner's token, and every failure is an SdkError.
import { SdkError } from '../../core/errors.ts';
import { createNoSpaceError } from '../log/log-error.ts';
import type { Durability } from '../workspace.ts';
import { createClosedError, createFencedError, createMediumError } from './refusals.ts';

/**
 * `chunks` maps `[file, start]` to bytes; `files` maps a file to `{ length }`; `owner` has one row
 * with the owner's token.
 */
export type IdbStoreName = 'chunks' | 'files' | 'owner';

export const idbStoreNames: readonly IdbStoreName[] = ['chunks', 'files', 'owner'];

/** One owner's connection to a workspace's database. */
export class IdbConnection {
  readonly #database: IDBDatabase;
  readonly #token: string;
  /** Why the connection has ended, if it has. */
  #end: SdkError | undefined;

  constructor(database: IDBDatabase, token: string) {
    this.#database = database;
    this.#token = token;
    database.addEventListener('versionchange', () => {
      // An open connection would block the deletion of the database.
      this.#finish(
        new SdkError(
          'EFENCED',
          'EFENCED: another tab has deleted this workspace, or has opened it with a newer version ' +
            'of this software; reload the page.',
        ),
      );
    });
    database.addEventListener('close', () => {
      this.#finish(
        new SdkError(
          'EIO',
          "EIO: the browser has closed this workspace's database: the site's data was deleted, or " +
            'the disk failed. Reload the page.',
        ),
      );
    });
  }

  /**
   * Takes ownership: every later write of a former owner is refused, and what it has written stays.
   * If aborted, rejects with the signal's reason and changes nothing.
   */
  takeOwnership(signal: AbortSignal): Promise<void> {
    return this.#run('readwrite', 'process', (transaction, fail) => {
      signal.throwIfAborted();
      signal.addEventListener('abort', () => fail(signal.reason));
      transaction.objectStore('owner').put(this.#token, 'token');
    });
  }

  /** Rejects with `EFENCED` if the token is another owner's. */
  async checkOwnership(): Promise<void> {
    const token = await this.read((transaction) => transaction.objectStore('owner').get('token'));
    if (token !== this.#token) throw createFencedError();
  }

  /**
   * Resolves to the result of the last request of `ask`, once all of its requests have succeeded.
   */
  async read<Value>(ask: (transaction: IDBTransaction) => IDBRequest<Value>): Promise<Value> {
    let request: IDBRequest<Value> | undefined;
    await this.#run('readonly', 'process', (transaction) => {
      request = ask(transaction);
    });
    if (!request) throw createMediumError('a transaction asked nothing');
    return request.result;
  }

  /**
   * Makes all requests of `put` or none. Rejects with `EFENCED`, without any change, if another
   * owner's token is stored. The token is read in the same transaction, so no other owner can
   * intervene.
   */
  write(durability: Durability, put: (transaction: IDBTransaction) => void): Promise<void> {
    return this.#run('readwrite', durability, (transaction, fail) => {
      const owner = transaction.objectStore('owner').get('token');
      owner.addEventListener('success', () => {
        if (owner.result !== this.#token) fail(createFencedError());
        // All requests were made, and waiting for their results would cost another round trip.
        else transaction.commit();
      });
      put(transaction);
    });
  }

  /** Idempotent. Transactions that are under way complete. */
  close(): void {
    this.#finish(createClosedError());
  }

  #finish(end: SdkError): void {
    this.#end ??= end;
    this.#database.close();
  }

  #run(
    mode: 'readonly' | 'readwrite',
    durability: Durability,
    ask: (transaction: IDBTransaction, fail: (error: unknown) => void) => void,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#end) throw this.#end;
      const transaction = this.#begin(mode, durability);
      let failure: unknown;
      let isAborted = false;
      const fail = (error: unknown): void => {
        try {
          transaction.abort();
          failure ??= error;
          isAborted = true;
        } catch {
          // The transaction has ended meanwhile. Its own events tell how.
        }
      };
      transaction.addEventListener('complete', () => resolve());
      transaction.addEventListener('abort', () => {
        reject(toIdbError(failure ?? this.#end ?? transaction.error));
      });
      transaction.addEventListener('error', (event) => {
        failure ??= (event.target as IDBRequest).error;
        try {
          if (!isAborted) transaction.abort();
          isAborted = true;
        } catch {
          // The transaction is committing. It still aborts if a request fails without
          // `preventDefault`.
          return;
        }
        // Also called for requests that fail together with the first. Firefox would report each to
        // the page.
        event.preventDefault();
      });
      try {
        ask(transaction, fail);
      } catch (error) {
        fail(error);
      }
    });
  }

  #begin(mode: 'readonly' | 'readwrite', durability: Durability): IDBTransaction {
    try {
      return this.#database.transaction(idbStoreNames, mode, {
        durability: durability === 'power' ? 'strict' : 'relaxed',
      });
    } catch (error) {
      throw toIdbError(error);
    }
  }
}

/** Converts IndexedDB's errors. */
export function toIdbError(error: unknown): SdkError {
  if (SdkError.isInstance(error)) return error;
  const isFull = error instanceof Error && error.name === 'QuotaExceededError';
  return isFull ? createNoSpaceError(error) : createMediumError(error);
}
