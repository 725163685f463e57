// Limits how often something may be done a second. app-bridge.ts uses it, because an app could otherwise keep our
// page busy.
import type { Clock } from '../../core/tool/ports.ts';

export interface Pace {
  /** True if it may be done now. This counts as once. */
  take(): boolean;
  /**
   * Does the work now, or once the second is over. Resolves with undefined if newer work has replaced it by then.
   * Rejects as `work` does.
   */
  doNewest<Value>(work: () => Promise<Value> | Value): Promise<Value | undefined>;
}

const secondMs = 1_000;

export function createPace(perSecond: number, clock: Clock): Pace {
  let beganAt: number | undefined;
  let done = 0;
  /**
   * Wakes the work that waits for the end of the second, and says whether it is still the newest.
   */
  let waiting: ((isNewest: boolean) => void) | undefined;

  function take(): boolean {
    const now = clock.now();
    // Somebody may set the computer's clock back.
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
