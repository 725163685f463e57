// Whether something that was set for later still may begin a turn, by the journal alone.
import type { SessionFold } from '../journal/fold.ts';

/** What was set. */
export interface SetForLater {
  /** The entry behind which it was made. */
  readonly madeAt: number;
  /** The job outlives a close of the session. */
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

/**
 * When the state's run that was due at `dueAt` took place, if it did. A rewind brings the state back as it was before,
 * and must not repeat the run. Undefined: it is still to come.
 */
export function whenRun(key: string, dueAt: number, { firedAt }: SessionFold): number | undefined {
  const last = firedAt.get(key);
  return last === undefined || last < dueAt ? undefined : last;
}
