// The schedule as promises: `loop.ts` takes a slot for each call and waits in it for its turn.
import { createSchedule } from './schedule.ts';

/** One call's place in the schedule. */
export interface CallSlot {
  classify(isConcurrencySafe: boolean): void;
  /** True when the call may start; false when the signal aborted first, and it must never run. */
  takeTurn(): Promise<boolean>;
  /** The call is settled: lets those behind it start. */
  release(): void;
}

/** Gives slots in the order in which it is called. */
export function createCallSlots(limit: number, signal: AbortSignal): () => CallSlot {
  const schedule = createSchedule(limit);
  const waiting = new Map<number, (mayStart: boolean) => void>();
  let count = 0;

  const answer = (call: number, mayStart: boolean) => {
    const resolve = waiting.get(call);
    waiting.delete(call);
    resolve?.(mayStart);
  };
  const advance = () => {
    for (const call of schedule.start()) answer(call, true);
  };
  signal.addEventListener('abort', () => {
    for (const call of waiting.keys()) answer(call, false);
  });

  return () => {
    const call = count;
    count += 1;
    schedule.add(call);
    return {
      classify: (isConcurrencySafe) => {
        schedule.classify(call, isConcurrencySafe);
        advance();
      },
      takeTurn: () => {
        if (signal.aborted) return Promise.resolve(false);
        const turn = new Promise<boolean>((resolve) => waiting.set(call, resolve));
        schedule.allow(call);
        advance();
        return turn;
      },
      release: () => {
        schedule.settle(call);
        advance();
      },
    };
  };
}
