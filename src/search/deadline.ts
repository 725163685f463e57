// The deadline of a search, for the case that the pattern isn't the cause, and the clock that measures it.
import type { WorkContext } from '../core/tool/handler.ts';
import { ToolError } from '../core/errors.ts';

/** A search measures time by these counts in a runtime whose clock stands still during computation. */
export interface SearchCounts {
  /** How many checks a search makes in a millisecond. Left out: only the clock is used. */
  readonly checksPerMs?: number | undefined;
  /** Called with the counted time, in milliseconds. */
  readonly noteWork?: ((ms: number) => void) | undefined;
}

/** The counts of the call's host. */
export function toCounts({ limits, realm }: Pick<WorkContext<unknown>, 'limits' | 'realm'>) {
  const { checksPerMs } = limits;
  return { checksPerMs, noteWork: realm.noteWork } satisfies SearchCounts;
}

/**
 * Measures milliseconds from any beginning, by the clock and by the number of checks since the clock last moved. Call
 * it once when the search begins.
 */
export function createSearchClock(
  { checksPerMs, noteWork }: SearchCounts,
  now = () => performance.now(),
): () => number {
  if (checksPerMs === undefined) return now;
  let lastSeen = now();
  let counted = 0;
  let hasBegun = false;
  return () => {
    const time = now();
    if (!hasBegun) {
      hasBegun = true;
      lastSeen = time;
      return time;
    }
    if (time !== lastSeen) counted = 0;
    lastSeen = time;
    counted += 1 / checksPerMs;
    noteWork?.(1 / checksPerMs);
    return time + counted;
  };
}

/**
 * With a list of files, a check is made after 256 of them. That is a hundredth of the work between
 * two checks with a pattern.
 */
const checksOfFiles = 100;

/**
 * Returns a function to call regularly. Once the time is over, it throws `limit-exceeded`, with what to do instead.
 */
export function createDeadline(
  timeoutMs: number,
  advice: string,
  counts?: SearchCounts,
): () => void {
  const checksPerMs = counts?.checksPerMs && counts.checksPerMs * checksOfFiles;
  const now = createSearchClock({ ...counts, checksPerMs });
  const deadline = now() + timeoutMs;
  return () => {
    if (now() <= deadline) return;
    throw new ToolError(
      `The search took longer than ${timeoutMs / 1000} s and was stopped. ${advice}`,
      { code: 'limit-exceeded', data: { limitMs: timeoutMs } },
    );
  };
}
