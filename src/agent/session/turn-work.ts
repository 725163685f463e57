// Counts the turns of one agent as work of the host, so that an object isn't released between two
// of their steps. Created by create-session.ts and create-agent.ts.
import type { SessionSteps } from '../session-steps.ts';

/** The turns of one agent: the session's own, or a sub-agent. */
export interface TurnWork {
  /** A turn runs until the work has settled. Settles like the work. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /**
   * The turn only waits for a person or for other agents until the work has settled, so it doesn't
   * count meanwhile. Calls that run beside it count by themselves. Settles like the work.
   */
  wait<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** `steps`: left out where the host never releases a session. */
export function createTurnWork(steps: Pick<SessionSteps, 'work'> | undefined): TurnWork {
  let running = 0;
  let waiting = 0;
  let counted: Disposable | undefined;

  function count(): void {
    if (running > 0 && waiting === 0) counted ??= steps?.work();
    else {
      counted?.[Symbol.dispose]();
      counted = undefined;
    }
  }

  return {
    async run(work) {
      running += 1;
      count();
      try {
        return await work();
      } finally {
        running -= 1;
        count();
      }
    },
    async wait(work) {
      waiting += 1;
      count();
      try {
        return await work();
      } finally {
        waiting -= 1;
        count();
      }
    },
  };
}
