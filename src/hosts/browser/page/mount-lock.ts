// Of the tabs of one workspace one has something mounted at a path: two would both write to its source. On the
// page, so that it goes with the page that reads and writes the source.

/** For whoever opens the workspace of that name in this origin. Null where another tab has it. */
export function createMountLock(workspace: string): (path: string) => Promise<Disposable | null> {
  return (path) =>
    new Promise((resolve, reject) => {
      // The path first: it is absolute, and so two names can't meet.
      const name = `rockpool-mount:${path}:${workspace}`;
      const over = navigator.locks.request(name, { ifAvailable: true }, (lock) => {
        if (!lock) return resolve(null);
        return new Promise<void>((release) => resolve({ [Symbol.dispose]: () => release() }));
      });
      over.catch(reject);
    });
}
