// A clock that only a test advances, so that deadlines are tested without waiting.
import type { Clock } from '../../core/tool/ports.ts';

/** A clock for `createInlineHost` that is advanced by hand. */
export interface VirtualClock extends Clock {
  /** Advances the time and runs the callbacks that become due, in the order of time. */
  advance(ms: number): void;
  /** The number of waiting callbacks: 0 when all calls are settled. */
  pending(): number;
}

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** Starts at `start`, in milliseconds since the epoch. */
export function createVirtualClock(start = 0): VirtualClock {
  let now = start;
  const timers = new Set<Timer>();

  // One at a time: a callback may start a timer that is due before the next one.
  const takeDue = (until: number): Timer | undefined => {
    let first: Timer | undefined;
    for (const timer of timers) {
      if (timer.at <= until && (!first || timer.at < first.at)) first = timer;
    }
    if (first) timers.delete(first);
    return first;
  };

  return {
    now: () => now,
    after(delayMs, callback) {
      const timer = { at: now + delayMs, callback };
      timers.add(timer);
      return { [Symbol.dispose]: () => void timers.delete(timer) };
    },
    advance(ms) {
      const until = now + ms;
      for (let timer = takeDue(until); timer; timer = takeDue(until)) {
        now = timer.at;
        timer.callback();
      }
      now = until;
    },
    pending: () => timers.size,
  };
}
