// Stage 5 decides when each call may start, and which call is stopped because of another. It is
// pure: it is told when calls arrive, are classified, allowed and settled, and returns the affected
// calls. Driven by `call-slots.ts`. docs/scheduling.md lists its rules.

/**
 * `default`: concurrency-safe calls run concurrently. `sema`: they do so only if all calls of the
 * message are read-only. The calls of any other message run one after another, and each question is
 * asked in its turn.
 */
export type SchedulePolicy = 'default' | 'sema';

/** The properties of a call that the schedule uses. */
export interface CallKind {
  readonly toolName: string;
  readonly isReadOnly: boolean;
  readonly isConcurrencySafe: boolean;
  /** The most calls of its tool that run at once. */
  readonly maxRunning: number;
  /** If it fails, the concurrent calls are stopped. */
  readonly cutsSiblings: boolean;
  /** The call is stopped when the user sends a prompt while it runs. */
  readonly isCutByPrompt: boolean;
}

/**
 * `cut`: stopped by the turn's end, another call's failure or a new prompt, never by its own
 * failure.
 */
export type CallEnd = 'done' | 'failed' | 'refused' | 'cut';

/** Calls, by their order in the message. Each is named once, except one that is allowed again. */
export interface Decisions {
  /** The calls that start now, in block order. They count as running. */
  readonly start: readonly number[];
  /** Calls that were allowed but never start. */
  readonly skip: readonly number[];
}

export interface Schedule {
  /** Adds a call. Calls are added in block order. */
  add(call: number): void;
  /** The message is complete. */
  close(): void;
  /** Sets the kind of the call. Until it is known, no later call starts. */
  classify(call: number, kind: CallKind): void;
  /** The call may run. May be repeated for a call that was started but hasn't begun its work. */
  allow(call: number): void;
  /**
   * The call has its result, or will never run. Returns the calls that are stopped because of it.
   */
  settle(call: number, end: CallEnd): readonly number[];
  /** No further call starts. */
  stop(): void;
  /**
   * The user has sent a prompt. If that stops a running call, no further call starts, so that the
   * prompt is answered soon. Returns the stopped calls.
   */
  hearPrompt(): readonly number[];
  /** Returns the consequences of all earlier calls of these functions. */
  decide(): Decisions;
}

interface Entry {
  kind?: CallKind;
  state: 'waiting' | 'allowed' | 'running' | 'skipped';
  isCut?: boolean;
}

/**
 * A concurrency-safe call starts when every unsettled call before it is safe too; any other waits for
 * all before it and runs alone. At most `maxRunning` run at once.
 */
export function createSchedule(maxRunning: number, policy: SchedulePolicy = 'default'): Schedule {
  /** The unsettled calls, in block order. */
  const open = new Map<number, Entry>();
  const runningOf = new Map<string, number>();
  let running = 0;
  let isStopped = false;
  // Used only by the policy `sema`.
  let isClosed = false;
  /** Calls that aren't known to be read-only. An invalid call never is. */
  const doubtful = new Set<number>();
  let wasRefused = false;

  function count(toolName: string, change: number): void {
    running += change;
    runningOf.set(toolName, (runningOf.get(toolName) ?? 0) + change);
  }

  function leave({ state, kind }: Entry): void {
    if (state === 'running' && kind) count(kind.toolName, -1);
  }

  /** Marks the running calls that `concerns` selects as stopped, and returns them. */
  function cut(concerns: (kind: CallKind) => boolean): number[] {
    const calls: number[] = [];
    for (const [call, entry] of open) {
      if (entry.state !== 'running' || entry.isCut || !entry.kind || !concerns(entry.kind))
        continue;
      entry.isCut = true;
      calls.push(call);
    }
    return calls;
  }

  // A call of unknown kind is a barrier, like one that isn't safe.
  const sharesItsTurn = ({ kind }: Entry) =>
    kind?.isConcurrencySafe === true && (policy === 'default' || (isClosed && doubtful.size === 0));

  function takeSkipped(): number[] {
    const calls: number[] = [];
    for (const [call, entry] of open) {
      if (entry.state !== 'allowed' || (!isStopped && entry.kind?.isReadOnly)) continue;
      entry.state = 'skipped';
      calls.push(call);
    }
    return calls;
  }

  function takeStarting(): number[] {
    const calls: number[] = [];
    let isFirst = true;
    for (const [call, entry] of open) {
      if (running >= maxRunning) break;
      const sharesTurn = sharesItsTurn(entry);
      // It runs alone: no earlier call is open, and no later call runs. A later call may have
      // started already if an answer has made this one unsafe.
      const isItsTurn = sharesTurn || (isFirst && running === 0);
      if (entry.state === 'allowed' && entry.kind && isItsTurn && hasRoom(entry.kind)) {
        entry.state = 'running';
        count(entry.kind.toolName, 1);
        calls.push(call);
      }
      // Calls after an unsafe one wait for it.
      if (!sharesTurn) break;
      isFirst = false;
    }
    return calls;
  }

  function hasRoom({ toolName, maxRunning: ofItsTool }: CallKind): boolean {
    return (runningOf.get(toolName) ?? 0) < ofItsTool;
  }

  return {
    add(call) {
      open.set(call, { state: 'waiting' });
      doubtful.add(call);
    },
    close: () => void (isClosed = true),
    classify(call, kind) {
      const entry = open.get(call);
      if (!entry) return;
      entry.kind = kind;
      if (kind.isReadOnly) doubtful.delete(call);
      else doubtful.add(call);
    },
    allow(call) {
      const entry = open.get(call);
      if (!entry?.kind) return;
      leave(entry);
      entry.state = 'allowed';
    },
    settle(call, end) {
      const entry = open.get(call);
      if (!entry) return [];
      open.delete(call);
      leave(entry);
      wasRefused ||= policy === 'sema' && (end === 'refused' || end === 'cut');
      const hasFailedBeside = end === 'failed' && entry.state === 'running' && !entry.isCut;
      return hasFailedBeside && entry.kind?.cutsSiblings ? cut(() => true) : [];
    },
    stop: () => void (isStopped = true),
    hearPrompt() {
      const calls = cut((kind) => kind.isCutByPrompt);
      if (calls.length > 0) isStopped = true;
      return calls;
    },
    decide: () => ({
      skip: isStopped || wasRefused ? takeSkipped() : [],
      start: isStopped ? [] : takeStarting(),
    }),
  };
}
