// Ensures that only one tab of a workspace mounts something at a path. Otherwise two tabs would
// write to its source.
import { DisposableSet, requestLock } from './page-locks.ts';

/** Dispose of it to release all paths. */
export interface MountLock extends Disposable {
  /** Resolves to null if another tab holds it. */
  tryHold(path: string): Promise<Disposable | null>;
}

/** Creates the locks for the workspace of that name in this origin. */
export function createMountLock(workspace: string): MountLock {
  const held = new DisposableSet();
  return {
    async tryHold(path) {
      // The path comes first. It is absolute, so lock names are unambiguous.
      const lock = await requestLock(`rockpool-mount:${path}:${workspace}`, { ifAvailable: true });
      return lock ? held.add(lock) : null;
    },
    [Symbol.dispose]: () => held[Symbol.dispose](),
  };
}
