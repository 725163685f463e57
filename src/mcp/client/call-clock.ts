// The time that one call of a server may take. It stands still while the server asks a person something, however long
// they think about it. connect-server.ts starts one a call.
import { startPausableTimer } from '../../core/async/pausable-timer.ts';
import { systemClock } from '../../core/async/system-clock.ts';

export interface CallClock extends Disposable {
  /** Aborted when the time is over, and never once the clock is disposed. */
  readonly signal: AbortSignal;
  /** Stops the clock until the returned function is called, once. Several callers may hold it. */
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
