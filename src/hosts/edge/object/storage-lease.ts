// The object's storage for one opening of its session. It is revoked when the session is released, so that this
// opening can't write any more. Used by create-session-object.ts.
import { SdkError } from '../../../core/errors.ts';
import type { DurableStorage } from '../../../workspace/drivers/do-sqlite.ts';

/** A lease that ends once. */
export interface StorageLease {
  readonly storage: DurableStorage;
  /** Revokes the storage: each later use throws `EFENCED`. */
  end(): void;
}

/** Returns the storage, usable until the lease ends. */
export function createStorageLease(storage: DurableStorage): StorageLease {
  let isOver = false;
  const check = () => {
    if (isOver) throw new SdkError('EFENCED', 'The session was let go: open it again.', {});
  };
  return {
    storage: {
      sql: {
        exec(query, ...bindings) {
          check();
          return storage.sql.exec(query, ...bindings);
        },
      },
      transactionSync(closure) {
        check();
        return storage.transactionSync(closure);
      },
    },
    end: () => void (isOver = true),
  };
}
