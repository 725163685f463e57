// What the tools of a session keep, in its journal. Made by create-session.ts; tools get it with their context.
import type { SessionStates } from '../../core/session/session-states.ts';
import type { SessionJournal } from '../journal/session-journal.ts';

/** Begins with what the journal knows. */
export function createSessionStates({
  fold,
  record,
}: Pick<SessionJournal, 'fold' | 'record'>): SessionStates {
  /** The newest work that runs alone. Never rejects. */
  let last: Promise<unknown> = Promise.resolve();
  /** The newest update. Never rejects. */
  let updating: Promise<unknown> = Promise.resolve();
  return {
    get: (key) => fold.states.get(key),
    set: (key, value, reminder) =>
      record({ type: 'state', key, value, ...(reminder !== undefined && { reminder }) }),
    update(key, change) {
      const run = updating.then(() =>
        record({ type: 'state', key, value: change(fold.states.get(key)) }),
      );
      updating = run.catch(() => undefined);
      return run;
    },
    runAlone(work) {
      const run = last.then(work);
      last = run.catch(() => undefined);
      return run;
    },
  };
}
