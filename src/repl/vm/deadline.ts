// Decides when a cell's time is up. The engine polls it while guest code runs, and between jobs.

// 200: some runtimes stop their clocks while code runs. After this many polls without a change, the
// clock counts as frozen. From then on time is measured in polls.
const questionsBeforeFrozen = 200;

/**
 * 1.5 polls a millisecond. In workerd a cell polled 0.5 to 2.5 times in a millisecond of processor
 * time, depending on its work (bench `edge`). So a deadline of 5 s takes effect after 3 to 15 s of
 * computing. A cell that calls one long built-in after another hardly polls.
 */
export const frozenQuestionsPerMs = 1.5;

export interface Deadline {
  /** True once the time has run out. Stays true. Each call counts as a poll. */
  hasPassed(): boolean;
  /** Milliseconds left, at least 0. `Infinity` while the deadline is paused. */
  remainingMs(): number;
  /**
   * Pauses the deadline while a person answers a question that the cell asked. Call the returned
   * function to resume. Computing during the pause still counts, so that a loop can't hide behind a
   * question. Pauses may overlap.
   */
  pause(): () => void;
}

/**
 * Creates a deadline `timeoutMs` from now. It uses the clock `now`, or the number of polls while
 * `now` stands still.
 */
export function createDeadline(
  timeoutMs: number,
  now: () => number,
  questionsPerMs = frozenQuestionsPerMs,
): Deadline {
  let end = now() + timeoutMs;
  let lastSeen = now();
  let questions = 0;
  /** Polls since the clock last moved. Earlier time is visible on the clock itself. */
  let counted = 0;
  /**
   * Polls during pauses. After a pause the end is moved by the clock, so these are counted
   * separately.
   */
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
