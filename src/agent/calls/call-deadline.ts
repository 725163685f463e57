// The deadline of a call. For a tool with `keepsOwnTime` it starts at the handler's `startClock`,
// for others at the call's start. Used by dispatch.ts.
import { startPausableTimer } from '../../core/async/pausable-timer.ts';
import type { PausableTimer } from '../../core/async/pausable-timer.ts';
import type { Clock } from '../../core/tool/ports.ts';

/**
 * One minute, for a call that sets no limit: a person doesn't want to wait longer without any sign.
 */
export const DEFAULT_TIMEOUT_MS = 60_000;

/** 250 ms: how long a handler may take to stop after it was asked to. */
export const GRACE_MS = 250;

// 150 ms: a handler that keeps its own time should have stopped by then. Of 60 cells that the
// engine stopped while two cores ran nine, 59 had answered within 140 ms. If a cell is terminated
// that would have answered, its session loses the cell's output and some time, but no variable.
const OWN_TIME_SLACK_MS = 150;

// 50 ms: the page itself may have been late, and the answer may have arrived already. So it checks
// again.
const OWN_TIME_GRACE_MS = 50;

// 20 ms: while a nested call and its reply are sent, the call's own clock is paused and this one
// runs. That happens up to a hundred times in one cell. Each takes less than 1 ms, about 10 ms on a
// busy machine.
const CROSSING_MS = 20;

/** What the owner must do with a call whose time is over. */
export interface Expiry {
  readonly type: 'timed-out' | 'not-begun';
  /** The time limit, in milliseconds. */
  readonly limitMs: number;
  /** How long it may take to stop, in milliseconds. */
  readonly graceMs: number;
}

export interface CallDeadlineOptions {
  readonly clock: Clock;
  /** The call's time limit. */
  readonly timeoutMs: number;
  /** See `keepsOwnTime` of a tool. */
  readonly keepsOwnTime: boolean;
  /**
   * True if other calls may be the reason why this one hasn't begun. Then it gets as much time
   * again.
   */
  isBehind(): boolean;
  /** Called once, unless the deadline is disposed before. */
  onExpiry(expiry: Expiry): void;
}

/** Dispose it when the call has ended or was stopped. */
export interface CallDeadline extends Disposable {
  /** Starts or restarts the time of a call that keeps its own. Does nothing for other calls. */
  startClock(): void;
  /** See {@link PausableTimer.pause}: the call waits for something outside of it. */
  pause(): () => void;
}

/**
 * Starts the deadline. The default of one minute applies to a call without a limit, and to one that
 * never calls `startClock`.
 */
export function startCallDeadline(options: CallDeadlineOptions): CallDeadline {
  const { clock, timeoutMs, keepsOwnTime, isBehind, onExpiry } = options;
  let timer: PausableTimer;
  let isOver = false;

  function waitForBegin(): void {
    timer = startPausableTimer(clock, DEFAULT_TIMEOUT_MS, () => {
      if (isBehind()) waitForBegin();
      else onExpiry({ type: 'not-begun', limitMs: DEFAULT_TIMEOUT_MS, graceMs: GRACE_MS });
    });
  }

  function waitForEnd(slackMs: number, graceMs: number): void {
    timer = startPausableTimer(clock, timeoutMs + slackMs, () =>
      onExpiry({ type: 'timed-out', limitMs: timeoutMs, graceMs }),
    );
  }

  if (keepsOwnTime) waitForBegin();
  // A little later than the handler's own limit, so that the handler can return a partial result
  // first.
  else waitForEnd(GRACE_MS, GRACE_MS);

  return {
    startClock() {
      // An abandoned handler may still call it.
      if (!keepsOwnTime || isOver) return;
      timer[Symbol.dispose]();
      waitForEnd(OWN_TIME_SLACK_MS, OWN_TIME_GRACE_MS);
    },
    pause: () => timer.pause(CROSSING_MS),
    [Symbol.dispose]() {
      isOver = true;
      timer[Symbol.dispose]();
    },
  };
}
