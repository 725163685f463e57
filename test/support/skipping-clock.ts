// A clock for tests of code that waits. Waits of up to a minute are over at once and written down.
// Longer ones (limits that should not be reached) never end.
import type { Clock } from '../../src/core/tool/ports.ts';

export interface SkippingClock extends Clock {
  /** The waits that were skipped, in milliseconds. */
  readonly waits: readonly number[];
}

export function createSkippingClock(): SkippingClock {
  const waits: number[] = [];
  return {
    waits,
    now: () => 0,
    after(delayMs, callback) {
      let disposed = false;
      if (delayMs <= 60_000) {
        waits.push(delayMs);
        queueMicrotask(() => {
          if (!disposed) callback();
        });
      }
      return {
        [Symbol.dispose]: () => {
          disposed = true;
        },
      };
    },
  };
}
