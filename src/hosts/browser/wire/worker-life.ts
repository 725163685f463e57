// How the page learns that a worker is gone which said nothing: one that closed itself, or that the
// browser ended, sends no event. A Web Lock ends with its holder.

/**
 * In the worker: holds the lock for as long as the worker lives. Resolves to true once it is held, and
 * at once to false where there are no Web Locks, or none that this site may use. Then nobody learns of
 * such an end, and calls end by their deadlines.
 */
export function showLife(name: string): Promise<boolean> {
  const { locks } = navigator as Partial<Navigator>;
  if (!locks) return Promise.resolve(false);
  return new Promise((resolve, reject) => {
    const forever = () => {
      resolve(true);
      return new Promise<void>(() => {});
    };
    locks.request(name, forever).catch((error: unknown) => {
      // Who needs them to keep files says what to do about it.
      if (error instanceof Error && error.name === 'SecurityError') resolve(false);
      else reject(error);
    });
  });
}

/**
 * On the page, once the worker holds the lock: calls back when it is gone. Chromium lets a terminated
 * busy worker run on for 2 s, and then it takes as long. Dispose it to hear nothing.
 */
export function watchLife(name: string, onEnd: () => void): Disposable {
  const { locks } = navigator as Partial<Navigator>;
  const controller = new AbortController();
  locks
    ?.request(name, { signal: controller.signal }, () => {
      // A task later, and some: what the worker has said before its end is heard first.
      setTimeout(() => {
        if (!controller.signal.aborted) onEnd();
      }, drainMs);
    })
    // The request was given up.
    .catch(() => {});
  return { [Symbol.dispose]: () => controller.abort() };
}

// 20 ms: its last messages and the end of its lock come by different ways.
const drainMs = 20;
