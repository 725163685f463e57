// Opens a released session for a turn that is due by schedule, started by an alarm. Used by
// create-session-object.ts.
import { refusedMs } from '../../../agent/triggers/turn-admission.ts';
import type { AlarmTable } from './named-alarms.ts';
import type { ObjectOwner } from './object-owner.ts';

/** The alarm that opens the session for such a turn. */
export const wakeAlarm = 'rockpool.wake';

/** One hour: nobody waits for the turn, and each attempt needs an opening. */
const wakeAgainMs = 60 * 60 * 1_000;

/** What the object has. */
export interface WakePorts {
  readonly table: AlarmTable;
  readonly owner: Pick<ObjectOwner, 'refusal'> | undefined;
  /** Schedules the event that opens the session. */
  ring(): Promise<void>;
}

/**
 * Has the session opened unless its owner refuses the turn. A needless opening would restore it
 * from its bucket and delay its next archiving. If the opening fails, the alarm rings again.
 */
export async function wakeForTurn({ table, owner, ring }: WakePorts): Promise<void> {
  // If the directory can't be reached, the session asks again and reports the result.
  const refusal = await owner?.refusal().catch(() => undefined);
  await table.set(wakeAlarm, Date.now() + (refusal === undefined ? wakeAgainMs : refusedMs));
  if (refusal === undefined) await ring();
}
