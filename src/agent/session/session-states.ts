// The states of a session's tools, kept in its journal. Created by create-session.ts; tools get
// them in their context.
import { createSerialQueue } from '../../core/async/serial-queue.ts';
import type { SessionStates } from '../../core/session/session-states.ts';
import type { SessionJournal } from '../journal/session-journal.ts';

/** Starts with the journal's states. */
export function createSessionStates({
  fold,
  record,
}: Pick<SessionJournal, 'fold' | 'record'>): SessionStates {
  const updateInTurn = createSerialQueue();
  return {
    get: (key) => fold.states.get(key),
    set: (key, value, reminder) =>
      record({ type: 'state', key, value, ...(reminder !== undefined && { reminder }) }),
    update(key, change) {
      return updateInTurn(() =>
        record({ type: 'state', key, value: change(fold.states.get(key)) }),
      );
    },
    runAlone: createSerialQueue(),
  };
}
