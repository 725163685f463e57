// A timer that stands still while somebody else is waited for: deadlines of calls, and of MCP servers that ask a
// person.
import { msSince } from './ms-since.ts';
import type { Clock } from '../tool/ports.ts';

/** Dispose it to stop it for good. */
export interface PausableTimer extends Disposable {
  /**
   * Stops the timer until the returned function is called, once. It may be paused more than once at a time. `extraMs`
   * are added when it continues, as if the pause had been longer by that time.
   */
  pause(extraMs?: number): () => void;
}

/** Calls back once when `delayMs` have passed, not counting the time when it was paused. */
export function startPausableTimer(
  clock: Clock,
  delayMs: number,
  callback: () => void,
): PausableTimer {
  let leftMs = delayMs;
  let pauses = 0;
  let isDisposed = false;
  let startedAt = 0;
  let timer: Disposable | undefined;
  const start = () => {
    if (pauses > 0 || isDisposed) return;
    startedAt = clock.now();
    timer = clock.after(leftMs, callback);
  };
  start();
  return {
    pause(extraMs = 0) {
      timer?.[Symbol.dispose]();
      if (pauses === 0) leftMs -= msSince(startedAt, clock);
      pauses += 1;
      return () => {
        pauses -= 1;
        if (pauses === 0) leftMs += extraMs;
        start();
      };
    },
    [Symbol.dispose]() {
      isDisposed = true;
      timer?.[Symbol.dispose]();
    },
  };
}
