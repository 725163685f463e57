// Web Locks that a page holds itself, and not its FS worker: they go with the page that does what they protect.

/** What is disposed of with it, unless it was before; at once where it is disposed of already. */
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

/** Undefined where it isn't available, if that was asked for. Dispose it to let it go. */
export function requestLock(name: string, options: LockOptions): Promise<Disposable | undefined> {
  return new Promise((resolve, reject) => {
    const over = navigator.locks.request(name, options, (lock) => {
      if (!lock) return resolve(undefined);
      return new Promise<void>((release) => resolve({ [Symbol.dispose]: () => release() }));
    });
    over.catch(reject);
  });
}
