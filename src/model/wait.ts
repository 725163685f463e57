// Waits that an abort ends at once: a delay, or a promise that may never settle (a request, a
// stalled connection). The model adapters use them for all waits.
import { createAbortError, untilAborted } from '../core/async/abort.ts';
import { inTime } from '../core/async/in-time.ts';
import type { Clock } from '../core/tool/ports.ts';

/** Resolves after `delayMs`. Rejects with `aborted` as soon as `signal` aborts. */
export function wait(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      timer?.[Symbol.dispose]();
      reject(createAbortError(signal.reason));
    };
    const timer = signal.aborted ? undefined : clock.after(delayMs, done);
    function done() {
      signal.removeEventListener('abort', stop);
      resolve();
    }
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

/** The time limit of a wait, and the error when it has passed. */
export interface PatienceOptions {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly limitMs: number;
  /** The error to reject with when `limitMs` have passed. */
  readonly tooLate: () => Error;
}

/**
 * Settles like `promise`, but at the latest at the limit or the abort.
 *
 * The promise itself continues, and its creator must end its work. A late rejection is ignored.
 */
export function settleWithin<T>(
  promise: Promise<T>,
  { signal, clock, limitMs, tooLate }: PatienceOptions,
): Promise<T> {
  return inTime(untilAborted(promise, signal), limitMs, tooLate, clock);
}
