// How a tool worker tells calls that wait from calls that compute: nobody else can.
import { nextTask } from '../../../core/next-task.ts';

// Work that goes in slices has slices of some milliseconds. Four turns, so that a call which only
// passes from one task to the next on its way to its work isn't taken for one that waits.
const turnMs = 1;
const turns = 4;

/** A thread's loop, as far as it is looked at. */
export interface ThreadLoop {
  /** Milliseconds, from whenever. */
  now(): number;
  /** Resolves after what else waits in the loop now. */
  nextTask(): Promise<void>;
}

const ownLoop: ThreadLoop = { now: () => performance.now(), nextTask };

/** Resolves once this thread has gone through some turns of its loop with nothing to do in them. */
export async function whenThreadIsFree(loop: ThreadLoop = ownLoop): Promise<void> {
  let last = loop.now();
  for (let quick = 0; quick < turns;) {
    await loop.nextTask();
    const now = loop.now();
    quick = now - last < turnMs ? quick + 1 : 0;
    last = now;
  }
}
