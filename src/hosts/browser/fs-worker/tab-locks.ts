// The two Web Locks of a tab with an open workspace: that it leads, and that it is present. They
// are requested in the FS worker, so that they end with it. Each driver has a lock of its own as
// well.
import { createDeferred } from '../../../core/async/deferred.ts';
import { createBusyError, toLockError } from '../../../workspace/drivers/refusals.ts';
import type { HeldLock, LeaderLock } from '../../../workspace/tabs/tab-ports.ts';

/** Held by the one tab that has the medium open. */
export function createLeaderLock(workspace: string): LeaderLock {
  return {
    acquire({ steal, signal }) {
      // A request that steals a lock can't have a signal.
      return requestLock(`rockpool-leader:${workspace}`, steal ? { steal } : { signal });
    },
  };
}

/**
 * The lock that shows that this tab has the workspace open. Other tabs may hold it too. Held until
 * it is released, or made exclusive.
 */
export interface Presence {
  /**
   * Makes the lock exclusive without waiting. Rejects with `EBUSY` if another tab has the workspace
   * open; this one then keeps it. Afterwards no tab can open it until this one is released.
   */
  requireAlone(): Promise<void>;
  release(): Promise<void>;
}

/** Waits while another tab is deleting the workspace. */
export async function enterWorkspace(workspace: string): Promise<Presence> {
  const name = `rockpool-open:${workspace}`;
  let held = await requestLock(name, { mode: 'shared' });
  const release = async () => {
    held.release();
    await held.lost;
  };
  return {
    release,
    async requireAlone() {
      await release();
      const alone = await tryLock(name, { ifAvailable: true });
      held = alone ?? (await requestLock(name, { mode: 'shared' }));
      if (!alone) throw createBusyError(workspace);
    },
  };
}

async function requestLock(name: string, options: LockOptions): Promise<HeldLock> {
  const held = await tryLock(name, options);
  if (held) return held;
  throw new TypeError(`The lock ${name} was asked for without ifAvailable, and not given.`);
}

/** Requests a lock. With `ifAvailable`, resolves to undefined if the lock is taken. */
function tryLock(name: string, options: LockOptions): Promise<HeldLock | undefined> {
  return new Promise((resolve, reject) => {
    const { promise: lost, resolve: lose } = createDeferred();
    const over = navigator.locks.request(name, options, (lock) => {
      if (lock) return new Promise<void>((release) => resolve({ lost, release }));
      resolve(undefined);
      return undefined;
    });
    // Also called if the lock is stolen later. The rejection then has no effect.
    over.catch((error: unknown) => reject(toLockError(error))).finally(lose);
  });
}
