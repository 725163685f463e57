// A turn of a session that rests is due, and nobody asks for it: rung by an alarm. Used by create-session-object.ts.
import { refusedMs } from '../../../agent/triggers/turn-admission.ts';
import type { AlarmTable } from './named-alarms.ts';
import type { ObjectOwner } from './object-owner.ts';

/** A turn begins that nobody asks for: the session is opened for it. */
export const wakeAlarm = 'rockpool.wake';

/** An hour: nobody waits for the turn, and each try costs an opening. */
const wakeAgainMs = 60 * 60 * 1_000;

/** What the object has. */
export interface WakePorts {
  readonly table: AlarmTable;
  readonly owner: Pick<ObjectOwner, 'refusal'> | undefined;
  /** The next event opens the session. */
  ring(): Promise<void>;
}

/**
 * Has the session opened, unless its owner refuses it. Opened for nothing it would come back from
 * its bucket, and its rest would put off when it is put there. Where the opening fails this rings
 * again: a rest sets the alarm anew.
 */
export async function wakeForTurn({ table, owner, ring }: WakePorts): Promise<void> {
  // Out of reach: the session asks again, and tells who looks on.
  const refusal = await owner?.refusal().catch(() => undefined);
  await table.set(wakeAlarm, Date.now() + (refusal === undefined ? wakeAgainMs : refusedMs));
  if (refusal === undefined) await ring();
}
