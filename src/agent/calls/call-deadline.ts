// The deadline of a call. For a tool with `keepsOwnTime` it counts from the handler's `startClock`, for any other
// from the call's start. Used by dispatch.ts.
import { startPausableTimer } from '../../core/async/pausable-timer.ts';
import type { PausableTimer } from '../../core/async/pausable-timer.ts';
import type { Clock } from '../../core/tool/ports.ts';

/** A call that says nothing may take a minute. A person hardly watches it longer without a word. */
export const DEFAULT_TIMEOUT_MS = 60_000;

/** How long a handler that was asked to stop may take. */
export const GRACE_MS = 250;

// 150 ms: a handler that keeps its own time and says nothing by then is as good as hung. Of 60
// cells that the engine cut while two cores had nine at work, 59 answered within 140 ms. If a cell
// is ended that would have answered, its session loses what the cell printed and some time, and no
// variable.
const OWN_TIME_SLACK_MS = 150;

// 50 ms: the page itself may have been late, and the answer may be there already. So it looks
// again.
const OWN_TIME_GRACE_MS = 50;

// 20 ms: while a nested call and its reply cross, the call's own clock stands still and this one
// ticks. That happens up to a hundred times in one cell. They take less than 1 ms, and some 10 on a
// busy machine.
const CROSSING_MS = 20;

/** What its owner must do about a call whose time is over. */
export interface Expiry {
  readonly type: 'timed-out' | 'not-begun';
  /** How much there was of it, in milliseconds. */
  readonly limitMs: number;
  /** How long it may take to stop once it was asked to. */
  readonly graceMs: number;
}

export interface CallDeadlineOptions {
  readonly clock: Clock;
  /** What the call may take. */
  readonly timeoutMs: number;
  /** See `keepsOwnTime` of a tool. */
  readonly keepsOwnTime: boolean;
  /**
   * May other calls be the reason why this one hasn't begun? Then it is given as much time again.
   */
  isBehind(): boolean;
  /** Calls back once, unless it is disposed before. */
  onExpiry(expiry: Expiry): void;
}

/** Dispose it when the call is over or cut. */
export interface CallDeadline extends Disposable {
  /** The time of a call that keeps its own begins now, or again. Nothing for any other call. */
  startClock(): void;
  /** See {@link PausableTimer.pause}: the call waits for somebody else. */
  pause(): () => void;
}

/**
 * Starts the deadline. The same minute holds for a call that doesn't say that it begins, and for
 * one that doesn't say how long it takes.
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
  // A little later than what the handler was told, so that it may come first with what it has.
  else waitForEnd(GRACE_MS, GRACE_MS);

  return {
    startClock() {
      // A handler that was abandoned may still say so.
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
