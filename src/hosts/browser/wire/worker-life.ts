// Detects the end of a worker that closed itself or was ended by the browser. There is no event for
// that, but a Web Lock ends with its holder.

/**
 * In the worker: holds the lock as long as the worker exists. Resolves to true once it is held, or
 * to false if there are no Web Locks, or this site may not use them. Nobody notices the worker's
 * end then, and calls end by their deadlines.
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
      // Whoever needs locks for files reports what to do.
      if (error instanceof Error && error.name === 'SecurityError') resolve(false);
      else reject(error);
    });
  });
}

/**
 * On the page, after the worker holds the lock: calls back when the worker is gone. In Chromium a
 * terminated busy worker runs for 2 s more, so it takes as long. Dispose of the result to stop.
 */
export function watchLife(name: string, onEnd: () => void): Disposable {
  const { locks } = navigator as Partial<Navigator>;
  const controller = new AbortController();
  locks
    ?.request(name, { signal: controller.signal }, () => {
      // With a delay, so that the worker's last messages are handled first.
      setTimeout(() => {
        if (!controller.signal.aborted) onEnd();
      }, drainMs);
    })
    // The request was cancelled.
    .catch(() => {});
  return { [Symbol.dispose]: () => controller.abort() };
}

// 20 ms: the last messages and the lock's end arrive in different ways.
const drainMs = 20;
