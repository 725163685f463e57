// A deadline that stands still while its call waits for someone else. Used by dispatch.ts.
import type { Clock } from '../core/ports.ts';

/** Dispose it to stop it for good. */
export interface PausableTimer extends Disposable {
  /** Stops it until the function that it gives is called. May be paused more than once at a time. */
  pause(): () => void;
}

/** Calls back once when `delayMs` have passed, not counting the time when it was paused. */
export function startPausableTimer(
  clock: Clock,
  delayMs: number,
  callback: () => void,
): PausableTimer {
  let leftMs = delayMs;
  let startedAt = clock.now();
  let timer: Disposable | undefined = clock.after(leftMs, callback);
  let pauses = 0;
  let isDisposed = false;

  const stop = () => {
    timer?.[Symbol.dispose]();
    timer = undefined;
  };
  const resume = () => {
    pauses -= 1;
    if (pauses > 0 || isDisposed) return;
    startedAt = clock.now();
    timer = clock.after(leftMs, callback);
  };

  return {
    pause() {
      if (pauses === 0) {
        stop();
        leftMs = Math.max(0, leftMs - (clock.now() - startedAt));
      }
      pauses += 1;
      let isPaused = true;
      return () => {
        if (isPaused) resume();
        isPaused = false;
      };
    },
    [Symbol.dispose]() {
      isDisposed = true;
      stop();
    },
  };
}
