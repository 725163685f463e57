// The time limit of one call. It is paused while the server's question to a person is open.
// connect-server.ts creates one for each call.
import { startPausableTimer } from '../../core/async/pausable-timer.ts';
import { systemClock } from '../../core/async/system-clock.ts';

export interface CallClock extends Disposable {
  /** Aborted at the time limit, and never after the clock is disposed. */
  readonly signal: AbortSignal;
  /**
   * Pauses the clock until the returned function is called, once. Several callers may pause it at
   * the same time.
   */
  pause(): () => void;
}

export function startCallClock(ms: number): CallClock {
  const controller = new AbortController();
  const timer = startPausableTimer(systemClock, ms, () => controller.abort());
  return {
    signal: controller.signal,
    pause: () => timer.pause(),
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  };
}
