// How often something may be done a second: app-bridge.ts holds an app to it, whose page could otherwise keep ours busy.
import type { Clock } from '../../core/tool/ports.ts';

export interface Pace {
  /** May it be done now? It counts if so. */
  take(): boolean;
  /**
   * Does it now, or once the second is over. Undefined: something newer was to be done by then, and was done in its
   * place. Rejects as `work` does.
   */
  doNewest<Value>(work: () => Promise<Value> | Value): Promise<Value | undefined>;
}

const secondMs = 1_000;

export function createPace(perSecond: number, clock: Clock): Pace {
  let beganAt: number | undefined;
  let done = 0;
  /** Of what waits for the second to be over: told whether it is still the newest. */
  let waiting: ((isNewest: boolean) => void) | undefined;

  function take(): boolean {
    const now = clock.now();
    // A computer's clock may be put back.
    if (beganAt === undefined || Math.abs(now - beganAt) >= secondMs) {
      beganAt = now;
      done = 0;
    }
    if (done >= perSecond) return false;
    done += 1;
    return true;
  }

  return {
    take,
    async doNewest(work) {
      if (waiting === undefined && take()) return work();
      if (waiting === undefined) clock.after(secondMs, goOn);
      else waiting(false);
      const isNewest = await new Promise<boolean>((resolve) => (waiting = resolve));
      return isNewest ? work() : undefined;
    },
  };

  function goOn(): void {
    const next = waiting;
    waiting = undefined;
    take();
    next?.(true);
  }
}
