// Web Locks held by the page and not by its FS worker, because what they protect runs on the page.

/**
 * Disposes of its members, unless they were disposed of before. A member that is added later is
 * disposed of at once.
 */
export class DisposableSet implements Disposable {
  readonly #members = new Set<Disposable>();
  #isDisposed = false;

  add(resource: Disposable): Disposable {
    const member = {
      [Symbol.dispose]: () => {
        if (this.#members.delete(member)) resource[Symbol.dispose]();
      },
    };
    this.#members.add(member);
    if (this.#isDisposed) member[Symbol.dispose]();
    return member;
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    for (const member of [...this.#members]) member[Symbol.dispose]();
  }
}

/**
 * Requests a lock. With `ifAvailable`, resolves to undefined if the lock is taken. Dispose of the
 * lock to release it.
 */
export function requestLock(name: string, options: LockOptions): Promise<Disposable | undefined> {
  return new Promise((resolve, reject) => {
    const over = navigator.locks.request(name, options, (lock) => {
      if (!lock) return resolve(undefined);
      return new Promise<void>((release) => resolve({ [Symbol.dispose]: () => release() }));
    });
    over.catch(reject);
  });
}
