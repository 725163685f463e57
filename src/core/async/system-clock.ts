// The clock of this realm's own timers, and the default clock of model adapters, the inline host
// and replicas. A tab's page gets a worker's clock instead (hosts/browser/page/worker-clock.ts).
import type { Clock } from '../tool/ports.ts';

/**
 * Looks its functions up when called, so that a test's fake timers and a late polyfill hold. Frozen, because all hosts
 * of a realm share it.
 */
export const systemClock: Clock = Object.freeze<Clock>({
  now: () => Date.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
});
