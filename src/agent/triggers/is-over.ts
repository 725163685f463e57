// Whether something that was set for later still may begin a turn, by the journal alone.
import type { SessionFold } from '../journal/fold.ts';

/** What was set. */
export interface SetForLater {
  /** The entry behind which it was made. */
  readonly madeAt: number;
  /** It outlives a close of the session. */
  readonly durable: boolean;
}

/**
 * A fork has none of what it is a fork of, which goes on with it. What isn't durable ends where the session is begun
 * anew: closed and opened again, lost, or moved.
 */
export function isOver(
  { madeAt, durable }: SetForLater,
  { session, begunAt }: SessionFold,
): boolean {
  return madeAt <= (session?.forkedFrom?.n ?? 0) || (!durable && madeAt < begunAt);
}

/** When the newest rewind was: no run from before it is made up for. 0: there was none. */
export function lastRewindAt({ rewinds }: SessionFold): number {
  return [...rewinds.values()].at(-1)?.time ?? 0;
}
