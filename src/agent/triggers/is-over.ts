// Decides whether a trigger that was set for later still may begin a turn, by the journal alone.
import type { SessionFold } from '../journal/fold.ts';

/** A trigger that was set for later. */
export interface SetForLater {
  /** The last entry before it was made. */
  readonly madeAt: number;
  /** The job outlives a close of the session. */
  readonly durable: boolean;
}

/**
 * A fork has no triggers of its origin, where they go on. A trigger that isn't durable ends when
 * the session is begun anew: closed and opened again, lost, or moved.
 */
export function isOver(
  { madeAt, durable }: SetForLater,
  { session, begunAt }: SessionFold,
): boolean {
  return madeAt <= (session?.forkedFrom?.n ?? 0) || (!durable && madeAt < begunAt);
}

/**
 * The time of the state's run that was due at `dueAt`. A rewind brings the state back as it was
 * before, and must not repeat the run. Undefined: the run is still to come.
 */
export function whenRun(key: string, dueAt: number, { firedAt }: SessionFold): number | undefined {
  const last = firedAt.get(key);
  return last === undefined || last < dueAt ? undefined : last;
}
