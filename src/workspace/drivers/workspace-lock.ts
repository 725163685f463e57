// The Web Lock that gives a workspace one owner in this browser. A lock can be stolen, and a worker
// can outlive its lock. Drivers therefore fence their writes as well.
import { createBusyError, toLockError } from './refusals.ts';

/**
 * Waits for the workspace's lock. Resolves with the function that gives it up.
 *
 * Rejects with `EBUSY` when another tab or worker has it for longer than `patienceMs`. Where there
 * are no Web Locks (a page that isn't secure) it resolves at once. Then the driver's fence alone
 * decides: the owner is who opened last.
 */
export async function acquireWorkspaceLock(name: string, patienceMs: number): Promise<() => void> {
  const { locks } = navigator as Partial<WorkerNavigator>;
  if (!locks) return () => {};
  return new Promise((resolve, reject) => {
    const options = { signal: AbortSignal.timeout(patienceMs) };
    const hold = () => new Promise<void>((release) => resolve(() => release()));
    // It also rejects when the lock is stolen later; then the driver's fence says so.
    locks.request(`rockpool:${name}`, options, hold).catch((error: unknown) => {
      const isTimeout = error instanceof Error && /^(Timeout|Abort)Error$/.test(error.name);
      reject(isTimeout ? createBusyError(name, error) : toLockError(error));
    });
  });
}

/**
 * Takes the lock from its holder, such as a frozen tab that no longer answers. Resolves with the
 * function that releases it.
 */
export async function takeWorkspaceLock(name: string): Promise<() => void> {
  const { locks } = navigator as Partial<WorkerNavigator>;
  if (!locks) return () => {};
  return new Promise((resolve, reject) => {
    const hold = () => new Promise<void>((release) => resolve(() => release()));
    // It also rejects when the lock is stolen in turn; then the driver's fence says so.
    locks.request(`rockpool:${name}`, { steal: true }, hold).catch((error: unknown) => {
      reject(toLockError(error));
    });
  });
}
