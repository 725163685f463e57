// When a cell is cut. Asked about once a millisecond while guest code runs, and between its jobs.

// Some runtimes stop their clocks while code runs. A clock that hasn't moved for this many
// questions (a good 200 ms of running) is taken to stand still, and each question counts as 1 ms.
const questionsBeforeFrozen = 200;

export interface Deadline {
  /** Has the time run out? Once true it stays true. */
  hasPassed(): boolean;
  /** Milliseconds left, at least 0. */
  remainingMs(): number;
}

/** A deadline from now on, by `now`, or by the number of questions where `now` stands still. */
export function createDeadline(timeoutMs: number, now: () => number): Deadline {
  const end = now() + timeoutMs;
  let lastSeen = now();
  let questions = 0;
  let counted = 0;
  let isOver = false;
  return {
    hasPassed() {
      const time = now();
      if (time === lastSeen) {
        questions += 1;
        if (questions > questionsBeforeFrozen) counted += 1;
      } else {
        lastSeen = time;
        questions = 0;
      }
      isOver ||= Math.max(time, lastSeen) + counted >= end;
      return isOver;
    },
    remainingMs: () => Math.max(0, end - now() - counted),
  };
}
