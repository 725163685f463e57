// Station 5: when may which call start? Pure: told of calls as they come, are understood, allowed
// and settled, it names those that may start now. `loop.ts` drives it.

/** Calls are named by their order in the message. */
export interface Schedule {
  /** A call has come; calls are added in block order. */
  add(call: number): void;
  /** What kind of call it is. Until this is known, no later call starts. */
  classify(call: number, isConcurrencySafe: boolean): void;
  /** It may run, as far as permission goes. */
  allow(call: number): void;
  /** It has its result, or will never run. */
  settle(call: number): void;
  /** The calls that start now, in block order. Each is named once and then counts as running. */
  start(): number[];
}

interface Entry {
  isSafe: boolean;
  state: 'waiting' | 'allowed' | 'running';
}

/**
 * A concurrency-safe call starts when every unsettled call before it is safe too; any other waits
 * for all before it and runs alone. At most `limit` run at once.
 */
export function createSchedule(limit: number): Schedule {
  /** What isn't settled yet, in block order. */
  const open = new Map<number, Entry>();
  const countRunning = () => [...open.values()].filter((entry) => entry.state === 'running').length;

  return {
    // An unknown kind is a barrier, like one that isn't safe.
    add: (call) => void open.set(call, { isSafe: false, state: 'waiting' }),
    classify: (call, isConcurrencySafe) => {
      const entry = open.get(call);
      if (entry) entry.isSafe = isConcurrencySafe;
    },
    allow: (call) => {
      const entry = open.get(call);
      if (entry?.state === 'waiting') entry.state = 'allowed';
    },
    settle: (call) => void open.delete(call),
    start: () => {
      const started: number[] = [];
      let running = countRunning();
      let isFirst = true;
      for (const [call, entry] of open) {
        if (running >= limit) break;
        // Alone: nothing before it is open, and nothing after it runs (an answer that changed its
        // input may have made it unsafe when later ones had started already).
        const mayStart = entry.isSafe || (isFirst && running === 0);
        if (entry.state === 'allowed' && mayStart) {
          entry.state = 'running';
          running += 1;
          started.push(call);
        }
        // What stands behind an unsafe call waits for it.
        if (!entry.isSafe) break;
        isFirst = false;
      }
      return started;
    },
  };
}
