// Station 5: when may which call start, and which is cut because of another? It is pure: it hears when calls come, are
// understood, allowed and settled, and names the calls that something happens to. `call-slots.ts` drives it.
// docs/scheduling.md has its rules as a table.

/**
 * `default`: concurrency-safe calls run beside each other. `sema`: they do so only in a message all
 * of whose calls are read-only. Those of any other message run one after another, each asked about
 * in its turn.
 */
export type SchedulePolicy = 'default' | 'sema';

/** What the schedule goes by. */
export interface CallKind {
  readonly toolName: string;
  readonly isReadOnly: boolean;
  readonly isConcurrencySafe: boolean;
  /** How many calls of its tool run at once. */
  readonly maxRunning: number;
  /** Its failure cuts what runs beside it. */
  readonly cutsSiblings: boolean;
  /** The call is cut when the user says something new while it runs. */
  readonly isCutByPrompt: boolean;
}

/** `cut`: by the turn's end, a sibling's failure or a new prompt; never a failure of its own. */
export type CallEnd = 'done' | 'failed' | 'refused' | 'cut';

/** Calls, by their order in the message. Each is named once, but for one that is allowed again. */
export interface Decisions {
  /** The calls that start now, in block order. They count as running. */
  readonly start: readonly number[];
  /** Calls that were allowed, and never start. */
  readonly skip: readonly number[];
}

export interface Schedule {
  /** A call has come; calls are added in block order. */
  add(call: number): void;
  /** No more will come: the message is whole. */
  close(): void;
  /** What kind of call it is. Until this is known, no later call starts. */
  classify(call: number, kind: CallKind): void;
  /** The call may run. Said again for a call that was started and hasn't begun its work. */
  allow(call: number): void;
  /** The call has its result, or will never run. Returns the calls that are cut because of that. */
  settle(call: number, end: CallEnd): readonly number[];
  /** Nothing starts any more. */
  stop(): void;
  /**
   * The user has said something new. Where that cuts a running call, nothing starts any more, so that
   * it is answered soon; names the calls that are cut.
   */
  hearPrompt(): readonly number[];
  /** What follows from all that was told. */
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
  /** What isn't settled yet, in block order. */
  const open = new Map<number, Entry>();
  const runningOf = new Map<string, number>();
  let running = 0;
  let isStopped = false;
  // Sema's policy alone reads these.
  let isClosed = false;
  /** Calls that aren't known to be read-only. What can't be understood never is. */
  const doubtful = new Set<number>();
  let wasRefused = false;

  function count(toolName: string, change: number): void {
    running += change;
    runningOf.set(toolName, (runningOf.get(toolName) ?? 0) + change);
  }

  function leave({ state, kind }: Entry): void {
    if (state === 'running' && kind) count(kind.toolName, -1);
  }

  /** Marks the running calls that `concerns` selects as cut, and returns them. */
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

  // An unknown kind is a barrier, like one that isn't safe.
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
      // Alone: nothing before it is open, and nothing after it runs. Later ones may have started
      // already when an answer changed its input and made it unsafe.
      const isItsTurn = sharesTurn || (isFirst && running === 0);
      if (entry.state === 'allowed' && entry.kind && isItsTurn && hasRoom(entry.kind)) {
        entry.state = 'running';
        count(entry.kind.toolName, 1);
        calls.push(call);
      }
      // Calls behind an unsafe one wait for it.
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
