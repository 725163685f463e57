// Of the tabs of one workspace one has something mounted at a path: two would both write to its source.
import { DisposableSet, requestLock } from './page-locks.ts';

/** Disposing it lets all paths go. */
export interface MountLock extends Disposable {
  /** Null where another tab has it. */
  tryHold(path: string): Promise<Disposable | null>;
}

/** For whoever opens the workspace of that name in this origin. */
export function createMountLock(workspace: string): MountLock {
  const held = new DisposableSet();
  return {
    async tryHold(path) {
      // The path comes first. It is absolute, so two names can't be the same.
      const lock = await requestLock(`rockpool-mount:${path}:${workspace}`, { ifAvailable: true });
      return lock ? held.add(lock) : null;
    },
    [Symbol.dispose]: () => held[Symbol.dispose](),
  };
}
