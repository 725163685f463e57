// The clock of a replay. Its time is that of the replayed entry. Used by play-file.ts.
import type { Clock } from '../../core/tool/ports.ts';

export interface JournalClock extends Clock {
  /** Milliseconds since the epoch. */
  set(time: number): void;
}

/** Timers are the host's, because calls that run again take real time. */
export function toJournalClock(clock: Clock, time: number): JournalClock {
  let now = time;
  return {
    now: () => now,
    after: (delayMs, callback) => clock.after(delayMs, callback),
    set: (next) => void (now = next),
  };
}
