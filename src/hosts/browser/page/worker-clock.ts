// The page's clock, ticked by the FS worker: a hidden page's own timers fire once a minute, a
// worker's on time. Deadlines of calls depend on it.
import type { Clock } from '../../../core/tool/ports.ts';
import type { FsWorkerClient } from './fs-worker-client.ts';

interface Timer {
  /** The due time by `performance.now`. */
  readonly dueAt: number;
  fire(): void;
}

/**
 * A callback comes once, from whichever is first: the worker's tick or the page's own timer. A tick
 * is asked for only if none comes earlier. Most calls never reach their deadlines, so they share
 * one tick a minute. A message for each call, and one to take it back, cost the page more than all
 * else that it did for a call.
 */
export function createWorkerClock(port: Pick<FsWorkerClient, 'request'>): Clock {
  const timers = new Set<Timer>();
  /** The times of the ticks that were asked for. A timer that is stopped takes none back. */
  const ticks = new Set<number>();

  function askForTick(dueAt: number): void {
    const now = performance.now();
    // A late tick doesn't count: a worker that replaced another began its delay again.
    for (const tickAt of ticks) if (tickAt > now && tickAt <= dueAt) return;
    ticks.add(dueAt);
    port.request({ type: 'tick', delayMs: Math.max(0, dueAt - now) }).then(
      () => hearTick(dueAt),
      // There is no worker, so only the page's own timers are left.
      () => void ticks.delete(dueAt),
    );
  }

  function hearTick(tickAt: number): void {
    ticks.delete(tickAt);
    for (const timer of [...timers]) if (timer.dueAt <= tickAt) timer.fire();
    if (timers.size > 0) askForTick(Math.min(...[...timers].map(({ dueAt }) => dueAt)));
  }

  return {
    now: () => Date.now(),
    after(delayMs, callback) {
      const stop = () => {
        timers.delete(timer);
        clearTimeout(own);
      };
      const timer: Timer = {
        dueAt: performance.now() + delayMs,
        fire() {
          // An earlier callback may have stopped this timer.
          if (!timers.has(timer)) return;
          stop();
          callback();
        },
      };
      timers.add(timer);
      // While the FS worker is busy or gone, a deadline still comes.
      const own = setTimeout(() => timer.fire(), delayMs);
      askForTick(timer.dueAt);
      return { [Symbol.dispose]: stop };
    },
  };
}
