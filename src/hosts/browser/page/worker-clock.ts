// The page's clock, driven by the FS worker. A hidden page's own timers fire once a minute, a
// worker's fire on time. Deadlines of calls depend on it.
import type { Clock } from '../../../core/tool/ports.ts';
import type { FsWorkerClient } from './fs-worker-client.ts';

interface Timer {
  /** The due time on the clock `performance.now`. */
  readonly dueAt: number;
  fire(): void;
}

/**
 * A callback runs once: at the worker's tick or at the page's own timer, whichever is first. A tick
 * is requested only if no earlier one is pending. Most calls never reach their deadlines, so they
 * share one tick a minute. Two messages for each call would cost the page more than everything else
 * it does for a call.
 */
export function createWorkerClock(port: Pick<FsWorkerClient, 'request'>): Clock {
  const timers = new Set<Timer>();
  /** The times of requested ticks. Stopping a timer doesn't cancel its tick. */
  const ticks = new Set<number>();

  function askForTick(dueAt: number): void {
    const now = performance.now();
    // Late ticks don't count: a replaced worker starts its delay again.
    for (const tickAt of ticks) if (tickAt > now && tickAt <= dueAt) return;
    ticks.add(dueAt);
    port.request({ type: 'tick', delayMs: Math.max(0, dueAt - now) }).then(
      () => hearTick(dueAt),
      // Without a worker only the page's own timers are left.
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
      // A deadline must also fire while the FS worker is busy or gone.
      const own = setTimeout(() => timer.fire(), delayMs);
      askForTick(timer.dueAt);
      return { [Symbol.dispose]: stop };
    },
  };
}
