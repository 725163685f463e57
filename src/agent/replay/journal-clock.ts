// The clock of a replay: it stands at the time of the entry that is played. Used by play-file.ts.
import type { Clock } from '../../core/tool/ports.ts';

export interface JournalClock extends Clock {
  /** Milliseconds since the epoch. */
  set(time: number): void;
}

/** Deadlines are the host's: work that runs again takes real time. */
export function toJournalClock(clock: Clock, time: number): JournalClock {
  let now = time;
  return {
    now: () => now,
    after: (delayMs, callback) => clock.after(delayMs, callback),
    set: (next) => void (now = next),
  };
}
