// The Web Lock that gives a workspace one owner in this browser. A lock can be stolen, and a worker
// can outlive its lock, so drivers fence their writes as well.
import { createBusyError, toLockError } from './refusals.ts';

/**
 * Waits for the workspace's lock. Resolves to the function that releases it.
 * Rejects with `EBUSY` if another tab or worker holds it for longer than `patienceMs`. Without Web
 * Locks (in an insecure page) it resolves at once. Then only the driver's fence decides: the last
 * one to open is the owner.
 */
export async function acquireWorkspaceLock(name: string, patienceMs: number): Promise<() => void> {
  const { locks } = navigator as Partial<WorkerNavigator>;
  if (!locks) return () => {};
  return new Promise((resolve, reject) => {
    const options = { signal: AbortSignal.timeout(patienceMs) };
    const hold = () => new Promise<void>((release) => resolve(() => release()));
    // The request also rejects if the lock is stolen later. The driver's fence reports that.
    locks.request(`rockpool:${name}`, options, hold).catch((error: unknown) => {
      const isTimeout = error instanceof Error && /^(Timeout|Abort)Error$/.test(error.name);
      reject(isTimeout ? createBusyError(name, error) : toLockError(error));
    });
  });
}

/**
 * Takes the lock from its holder, such as a frozen tab that doesn't answer. Resolves to the
 * function that releases it.
 */
export async function takeWorkspaceLock(name: string): Promise<() => void> {
  const { locks } = navigator as Partial<WorkerNavigator>;
  if (!locks) return () => {};
  return new Promise((resolve, reject) => {
    const hold = () => new Promise<void>((release) => resolve(() => release()));
    // The request also rejects if the lock is stolen in turn. The driver's fence reports that.
    locks.request(`rockpool:${name}`, { steal: true }, hold).catch((error: unknown) => {
      reject(toLockError(error));
    });
  });
}
