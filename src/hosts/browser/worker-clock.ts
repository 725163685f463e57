// The page's clock, ticked by the FS worker: a hidden page's own timers fire once a minute, a
// worker's on time. Deadlines of calls depend on it.
import type { Clock } from '../../core/ports.ts';
import type { FsWorkerPort } from './fs-worker-port.ts';

/** A callback comes once, from whichever is first: the worker's tick or the page's own timer. */
export function createWorkerClock(port: Pick<FsWorkerPort, 'request'>): Clock {
  return {
    now: () => Date.now(),
    after(delayMs, callback) {
      const controller = new AbortController();
      const stop = () => {
        controller.abort();
        clearTimeout(timer);
      };
      const fire = () => {
        if (controller.signal.aborted) return;
        stop();
        callback();
      };
      // Both are asked, the first fires: while the FS worker is busy or gone, a deadline still comes.
      const timer = setTimeout(fire, delayMs);
      port
        .request({ type: 'tick', delayMs: Math.max(0, delayMs) }, { signal: controller.signal })
        // A rejection means that it was stopped, or that there is no worker: the timer is left.
        .then(fire, () => {});
      return { [Symbol.dispose]: stop };
    },
  };
}
