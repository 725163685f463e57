// Fairness between queries that share one pool of workers: each takes a permit before a call runs, and none gets
// many while another has few. Make one limiter, and give it to each query as an option.
import { SdkError } from '../../core/errors.ts';

/** One agent's way to permits. Dispose it when the agent is done; permits that it holds are free then. */
export interface LimiterSeat extends Disposable {
  /** True with a permit, false when the signal aborted first. Permits come in the order of asking. */
  take(signal: AbortSignal): Promise<boolean>;
  giveBack(): void;
}

/** Shared by the queries that were given it. */
export interface CallLimiter {
  sit(): LimiterSeat;
}

/** What the choice between agents goes by. */
export interface AgentLoad {
  /** Permits that it holds. */
  readonly held: number;
  /** Calls that wait for one. */
  readonly waiting: number;
  /** A number that grows with each permit given: when it got its last one. 0: never. */
  readonly lastServed: number;
}

/**
 * Chooses whose call goes next. Of the agents that wait it is one that holds the fewest permits,
 * and of those the one that has waited longest since its last. Undefined where none waits. Pure.
 */
export function chooseAgent<T extends AgentLoad>(agents: Iterable<T>): T | undefined {
  let best: T | undefined;
  for (const agent of agents) {
    if (agent.waiting === 0) continue;
    const isFairer =
      !best ||
      agent.held < best.held ||
      (agent.held === best.held && agent.lastServed < best.lastServed);
    if (isFairer) best = agent;
  }
  return best;
}

interface Seat extends AgentLoad {
  held: number;
  readonly waiting: number;
  lastServed: number;
  readonly queue: Set<(permit: boolean) => void>;
}

/**
 * At most `maxRunning` calls of all agents run at once. A call never waits while a permit is free, so an agent that is
 * alone may hold them all. Later agents get the next ones that are given back.
 */
export function createCallLimiter(maxRunning: number): CallLimiter {
  if (!(Number.isInteger(maxRunning) && maxRunning > 0)) {
    throw new SdkError(
      'bad-usage',
      `maxRunning must be a whole number above 0, not ${maxRunning}.`,
      {
        data: { maxRunning },
      },
    );
  }
  const seats = new Set<Seat>();
  let running = 0;
  let served = 0;

  function give(): void {
    while (running < maxRunning) {
      const seat = chooseAgent(seats);
      const [next] = seat?.queue ?? [];
      if (!seat || !next) return;
      seat.queue.delete(next);
      seat.held += 1;
      running += 1;
      seat.lastServed = served += 1;
      next(true);
    }
  }

  return {
    sit() {
      const queue = new Set<(permit: boolean) => void>();
      const seat: Seat = {
        held: 0,
        lastServed: 0,
        queue,
        get waiting() {
          return queue.size;
        },
      };
      seats.add(seat);
      const free = (permits: number) => {
        seat.held -= permits;
        running -= permits;
        give();
      };
      return {
        take(signal) {
          if (signal.aborted || !seats.has(seat)) return Promise.resolve(false);
          return new Promise((resolve) => {
            const answer = (permit: boolean) => {
              queue.delete(answer);
              signal.removeEventListener('abort', withdraw);
              resolve(permit);
            };
            const withdraw = () => answer(false);
            signal.addEventListener('abort', withdraw, { once: true });
            queue.add(answer);
            give();
          });
        },
        giveBack() {
          if (seat.held > 0) free(1);
        },
        [Symbol.dispose]() {
          seats.delete(seat);
          for (const answer of [...queue]) answer(false);
          free(seat.held);
        },
      };
    },
  };
}
