// Shares one pool of workers fairly between queries. Each takes a permit before a call runs, and
// none gets many while another has few. Create one limiter and pass it to each query as an option.
import { SdkError } from '../../core/errors.ts';

/**
 * One agent's access to permits. Dispose it when the agent is done; its permits are then released.
 */
export interface LimiterSeat extends Disposable {
  /**
   * Resolves to true with a permit, or to false if the signal aborts first. Permits are given in
   * the order of requests.
   */
  take(signal: AbortSignal): Promise<boolean>;
  giveBack(): void;
}

/** Shared by the queries that get it as an option. */
export interface CallLimiter {
  sit(): LimiterSeat;
}

/** The values by which the next agent is chosen. */
export interface AgentLoad {
  /** The number of permits that it holds. */
  readonly held: number;
  /** The number of calls that wait for one. */
  readonly waiting: number;
  /** When it got its last permit, as a rising number; 0: never. */
  readonly lastServed: number;
}

/**
 * Chooses the agent whose call is next: the waiting agent with the fewest permits, and among equals
 * the one whose last permit is the oldest. Undefined if none waits. Pure.
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
 * Creates a limiter that lets at most `maxRunning` calls of all agents run at once. A call never
 * waits while a permit is free, so a single agent may hold them all. Later agents get the permits
 * that are released next.
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
