// The clock of this realm's own timers, for whoever isn't given another: model adapters, the inline
// host, a replica. A tab's page gets a worker's instead (hosts/browser/page/worker-clock.ts).
import type { Clock } from './tool/ports.ts';

/** Looks its functions up when called, so that a test's fake timers and a late polyfill hold. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};
