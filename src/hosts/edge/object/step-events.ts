// Divides one opening of a session into events of its object. A step waits at a gate until an alarm opens it. The alarm's
// event lasts until the next step waits, or only a person is waited for. Used by create-session-object.ts.
import { SdkError } from '../../../core/errors.ts';
import type { SessionActivity, SessionSteps } from '../../../agent/session-steps.ts';

/**
 * 8 calls in one event, which may have 30 s of computing. Clocks stand still, so calls are counted.
 * Further calls begin in the next event.
 */
const callsAnEvent = 8;

/** 15 s of counted computing, half of what an event may have: counts are no clock. */
export const defaultEventWorkMs = 15_000;

/** How an event may end. `more`: a step waits for the next one. `still`: a person is waited for, or nothing. */
export type Pause = 'more' | 'still' | 'broken';

/** The events of one opening. */
export interface StepEvents {
  readonly steps: SessionSteps;
  /** Lets the waiting steps go on. False: none waited. */
  open(): boolean;
  /** Resolves when the event may end. `settle` is awaited before `still` is believed: nothing may move meanwhile. */
  whenPaused(settle: () => Promise<void>): Promise<Pause>;
  /** Something has moved. */
  touch(): void;
  letGo(): void;
  /** A turn that was refused may begin. False: none waits for that. */
  free(): boolean;
  /** Counts so many milliseconds of computing. */
  spend(ms: number): void;
  /** When the session is to be open again, in milliseconds since the epoch; undefined: when somebody uses it. */
  wakeAt(): number | undefined;
}

/** What the object adds. */
export interface StepPorts {
  /** Somebody uses the session, so that it isn't still. `waitsForPerson`: its turn does, and what is behind the turn with it. */
  isHeld(waitsForPerson: boolean): boolean;
  /** A step waits. Must not throw. */
  onWait(): void;
  /** See {@link SessionSteps}. */
  admit(): Promise<string | Disposable | undefined>;
  /** After so much counted computing further calls begin in the next event, in milliseconds. */
  readonly eventWorkMs: number;
}

/** Everything waits to begin with. */
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

/** @throws SdkError `bad-usage` for what is no amount of work. */
export function checkEventWork(eventWorkMs: number): void {
  if (eventWorkMs > 0) return;
  const message = 'eventWorkMs is a number of milliseconds above 0: how much an event may compute.';
  throw new SdkError('bad-usage', message, { data: { eventWorkMs } });
}
