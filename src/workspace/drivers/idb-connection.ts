// The idb-log driver's connection to IndexedDB. Transactions are promises, each write is fenced by
// the owner's token, and every failure is an SdkError.
import { SdkError } from '../../core/errors.ts';
import { createNoSpaceError } from '../log/log-error.ts';
import type { Durability } from '../workspace.ts';
import { createClosedError, createFencedError, createMediumError } from './refusals.ts';

/** Rows `[file, start]` → bytes; rows file → `{ length }`; and one row `token` → whose it is. */
export type IdbStoreName = 'chunks' | 'files' | 'owner';

export const idbStoreNames: readonly IdbStoreName[] = ['chunks', 'files', 'owner'];

/** One owner's connection to a workspace's database. */
export class IdbConnection {
  readonly #database: IDBDatabase;
  readonly #token: string;
  /** Why nothing goes on any more. */
  #end: SdkError | undefined;

  constructor(database: IDBDatabase, token: string) {
    this.#database = database;
    this.#token = token;
    database.addEventListener('versionchange', () => {
      // An open connection would block the database's deletion for ever.
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
   * From now on every write of a former owner is refused; what it has written stays. If aborted, it
   * rejects with the signal's reason and no owner is refused.
   */
  takeOwnership(signal: AbortSignal): Promise<void> {
    return this.#run('readwrite', 'process', (transaction, fail) => {
      signal.throwIfAborted();
      signal.addEventListener('abort', () => fail(signal.reason));
      transaction.objectStore('owner').put(this.#token, 'token');
    });
  }

  /** Rejects with `EFENCED` where the token is another one's. */
  async checkOwnership(): Promise<void> {
    const token = await this.read((transaction) => transaction.objectStore('owner').get('token'));
    if (token !== this.#token) throw createFencedError();
  }

  /** The result of the last request that `ask` made, once all of its requests are answered. */
  async read<Value>(ask: (transaction: IDBTransaction) => IDBRequest<Value>): Promise<Value> {
    let request: IDBRequest<Value> | undefined;
    await this.#run('readonly', 'process', (transaction) => {
      request = ask(transaction);
    });
    if (!request) throw createMediumError('a transaction asked nothing');
    return request.result;
  }

  /**
   * Writes everything that `put` requests, or nothing. Rejects with `EFENCED` and changes nothing
   * where another owner's token is stored. The token is read in the same transaction, so no owner
   * can come in between.
   */
  write(durability: Durability, put: (transaction: IDBTransaction) => void): Promise<void> {
    return this.#run('readwrite', durability, (transaction, fail) => {
      const owner = transaction.objectStore('owner').get('token');
      owner.addEventListener('success', () => {
        if (owner.result !== this.#token) fail(createFencedError());
        // Everything has been asked for; waiting for the answers would cost another round trip.
        else transaction.commit();
      });
      put(transaction);
    });
  }

  /** Idempotent. What is under way goes on to its end. */
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
          // The transaction is being committed. Only an error that nobody prevents aborts it then.
          return;
        }
        // Also for requests that fail with the first: Firefox would report each to the page.
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

/** IndexedDB's errors as ours. */
export function toIdbError(error: unknown): SdkError {
  if (SdkError.isInstance(error)) return error;
  const isFull = error instanceof Error && error.name === 'QuotaExceededError';
  return isFull ? createNoSpaceError(error) : createMediumError(error);
}
