// When a cell is cut. Asked now and then while guest code runs, and between its jobs.

// Some runtimes stop their clocks while code runs. A clock that hasn't moved for this many
// questions is taken to stand still, and time is counted in questions from then on.
const questionsBeforeFrozen = 200;

/**
 * 1.5. Depending on its work, a cell asked between 0.5 and 2.5 times in a millisecond of workerd's processor time
 * (bench `edge`). So a deadline of 5 s comes after 3 to 15 s of computing. Where it strings long builtins together it
 * hardly asks.
 */
export const frozenQuestionsPerMs = 1.5;

export interface Deadline {
  /** True once the time has run out. It stays true. */
  hasPassed(): boolean;
  /** Milliseconds left, at least 0; without end while it is paused. */
  remainingMs(): number;
  /**
   * Stops it until the function that it returns is called: someone thinks about a question that the
   * cell asked. What the cell computes meanwhile counts all the same, so that it can't hide a loop
   * behind a question. May be paused more than once at a time.
   */
  pause(): () => void;
}

/** A deadline from now on, by `now`, or by the number of questions where `now` stands still. */
export function createDeadline(
  timeoutMs: number,
  now: () => number,
  questionsPerMs = frozenQuestionsPerMs,
): Deadline {
  let end = now() + timeoutMs;
  let lastSeen = now();
  let questions = 0;
  /** Since the clock has moved: what came before it shows by itself. */
  let counted = 0;
  /** While it was paused, which the clock is taken back for. */
  let countedInPauses = 0;
  const countedMs = () => (counted + countedInPauses) / questionsPerMs;
  let isOver = false;
  let pauses = 0;
  let pausedAt = 0;
  return {
    hasPassed() {
      if (pauses > 0) {
        countedInPauses += 1;
        isOver ||= pausedAt + countedMs() >= end;
        return isOver;
      }
      const time = now();
      if (time === lastSeen) {
        questions += 1;
        if (questions > questionsBeforeFrozen) counted += 1;
      } else {
        lastSeen = time;
        questions = 0;
        counted = 0;
      }
      isOver ||= Math.max(time, lastSeen) + countedMs() >= end;
      return isOver;
    },
    remainingMs: () => (pauses > 0 ? Infinity : Math.max(0, end - now() - countedMs())),
    pause() {
      if (pauses === 0) pausedAt = now();
      pauses += 1;
      let isPaused = true;
      return () => {
        if (!isPaused) return;
        isPaused = false;
        pauses -= 1;
        if (pauses > 0) return;
        end += now() - pausedAt;
        lastSeen = now();
      };
    },
  };
}
