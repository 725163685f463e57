// Decides from the journal whether a scheduled trigger may still start a turn.
import type { SessionFold } from '../journal/fold.ts';

/** A scheduled trigger. */
export interface SetForLater {
  /** The number of the last entry before its creation. */
  readonly madeAt: number;
  /** True if the job survives when the session is closed. */
  readonly durable: boolean;
}

/**
 * A fork has no triggers of the original session, which still has them. A trigger that isn't
 * durable ends when the session is opened again, is lost, or is moved.
 */
export function isOver(
  { madeAt, durable }: SetForLater,
  { session, begunAt }: SessionFold,
): boolean {
  return madeAt <= (session?.forkedFrom?.n ?? 0) || (!durable && madeAt < begunAt);
}

/**
 * The time of the run that was due at `dueAt`. A rewind restores the state before the run, and must
 * not repeat it. Undefined: the run hasn't happened.
 */
export function whenRun(key: string, dueAt: number, { firedAt }: SessionFold): number | undefined {
  const last = firedAt.get(key);
  return last === undefined || last < dueAt ? undefined : last;
}
