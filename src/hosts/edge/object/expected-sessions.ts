// Tracks sessions that are about to move to this place before it opens its own. Used by
// object-moves.ts.
import { createDeferred } from '../../../core/async/deferred.ts';
import { isDoneIn } from '../../../core/async/in-time.ts';

/** The expected sessions. Opening the place's own session waits for them. */
export interface ExpectedSessions {
  /**
   * Expects a session until the result is disposed, or until `ms` have passed without a message
   * about it. Without `ms` only the disposal ends it.
   */
  add(ms?: number): Disposable;
  /** A message about the coming sessions has arrived, so `ms` starts again. */
  touch(): void;
  /**
   * Resolves when an expected session has arrived or isn't expected any more. Undefined: none is
   * expected.
   */
  next(): Promise<void> | undefined;
}

interface Expected {
  readonly ms: number;
  readonly over: Promise<void>;
  until: number;
}

/** None is expected at first. */
export function createExpectedSessions(): ExpectedSessions {
  const all = new Set<Expected>();
  return {
    add(ms = Infinity) {
      const { promise: over, resolve: end } = createDeferred();
      const one: Expected = { ms, over, until: Date.now() + ms };
      all.add(one);
      return {
        [Symbol.dispose]() {
          all.delete(one);
          end();
        },
      };
    },
    touch() {
      for (const one of all) one.until = Date.now() + one.ms;
    },
    next() {
      const one = [...all].find(({ until }) => until > Date.now());
      return one && (one.until === Infinity ? one.over : untilLate(one));
    },
  };
}

async function untilLate({ over, until }: Expected): Promise<void> {
  await isDoneIn(over, until - Date.now());
}
