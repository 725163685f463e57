// Divides one opening of a session into events of its object. A step waits at a gate until an alarm
// opens it. The event ends when the next step waits, or when the session waits only for a person.
// Used by create-session-object.ts.
import { SdkError } from '../../../core/errors.ts';
import type { SessionActivity, SessionSteps } from '../../../agent/session-steps.ts';

/**
 * 8 calls in one event, which may compute for 30 s. Clocks don't advance during computation, so
 * calls are counted. Further calls begin in the next event.
 */
const callsAnEvent = 8;

/** 15 s of estimated computing, half of an event's limit, because the estimate is inexact. */
export const defaultEventWorkMs = 15_000;

/**
 * How an event may end. `more`: a step waits for the next event. `still`: the session waits for a
 * person, or has nothing to do.
 */
export type Pause = 'more' | 'still' | 'broken';

/** The events of one opening. */
export interface StepEvents {
  readonly steps: SessionSteps;
  /** Lets the waiting steps continue. False: none waited. */
  open(): boolean;
  /**
   * Resolves when the event may end. `settle` is awaited before `still` is returned, and nothing
   * may happen meanwhile.
   */
  whenPaused(settle: () => Promise<void>): Promise<Pause>;
  /** Records that something has happened. */
  touch(): void;
  letGo(): void;
  /** Lets a refused turn begin. False: no turn waits. */
  free(): boolean;
  /** Adds milliseconds of computing. */
  spend(ms: number): void;
  /**
   * When the session must be opened again, in milliseconds since the epoch; undefined: when it is
   * used.
   */
  wakeAt(): number | undefined;
}

/** The functions that the object provides. */
export interface StepPorts {
  /**
   * True while somebody uses the session, so it isn't idle. `waitsForPerson`: its turn waits for a
   * person, and so do the operations that wait for the turn.
   */
  isHeld(waitsForPerson: boolean): boolean;
  /** Called when a step waits. Must not throw. */
  onWait(): void;
  /** See {@link SessionSteps}. */
  admit(): Promise<string | Disposable | undefined>;
  /** The computing in milliseconds after which further calls begin in the next event. */
  readonly eventWorkMs: number;
}

/** At first all steps wait. */
export function createStepEvents(
  opening: SessionSteps['opening'],
  { isHeld, onWait, admit, eventWorkMs }: StepPorts,
): StepEvents {
  const waiting = new Set<() => void>();
  const ending = new AbortController();
  let activity: SessionActivity = 'runs';
  let working = 0;
  let calls = 0;
  let spentMs = 0;
  let wakeAt: number | undefined;
  const freed: (() => boolean)[] = [];
  let moves = 0;
  let wake: () => void = () => undefined;

  const touch = (): void => {
    moves += 1;
    wake();
  };
  const count = (): Disposable => {
    let isOver = false;
    working += 1;
    touch();
    return {
      [Symbol.dispose]() {
        if (isOver) return;
        isOver = true;
        working -= 1;
        touch();
      },
    };
  };
  const wait = (signal: AbortSignal): Promise<void> => {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const go = () => {
        waiting.delete(go);
        signal.removeEventListener('abort', go);
        touch();
        resolve();
      };
      waiting.add(go);
      signal.addEventListener('abort', go, { once: true });
      onWait();
      touch();
    });
  };
  const look = (): Pause | undefined => {
    if (activity === 'broken') return 'broken';
    if (waiting.size > 0) return 'more';
    const isStill = working === 0 && activity !== 'runs' && !isHeld(activity === 'asks');
    return isStill ? 'still' : undefined;
  };

  return {
    steps: {
      opening,
      letGo: ending.signal,
      next: wait,
      nextCall(signal) {
        calls += 1;
        const isFull = calls > callsAnEvent || spentMs >= eventWorkMs;
        return isFull ? wait(signal) : Promise.resolve();
      },
      work: count,
      admit,
      wakeAt: (at) => void (wakeAt = at),
      onFreed: (listener) => void freed.push(listener),
      tell(now) {
        activity = now;
        touch();
      },
    },
    open() {
      calls = 0;
      spentMs = 0;
      const those = [...waiting];
      for (const go of those) go();
      return those.length > 0;
    },
    async whenPaused(settle) {
      for (;;) {
        const before = moves;
        const pause = look();
        if (pause === 'more' || pause === 'broken') return pause;
        if (pause === 'still') {
          await settle();
          if (moves === before) return pause;
        } else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    touch,
    spend: (ms) => void (spentMs += ms),
    wakeAt: () => wakeAt,
    letGo: () => ending.abort(),
    free: () => freed.map((listener) => listener()).includes(true),
  };
}

/** @throws SdkError `bad-usage` if the value isn't a valid amount of work */
export function checkEventWork(eventWorkMs: number): void {
  if (eventWorkMs > 0) return;
  const message = 'eventWorkMs is a number of milliseconds above 0: how much an event may compute.';
  throw new SdkError('bad-usage', message, { data: { eventWorkMs } });
}
