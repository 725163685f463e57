// Opens the journal of a session that is about to run. It is the given one with its entries, or a
// new one in memory. Used by create-session.ts.
import type { Clock } from '../../core/tool/ports.ts';
import { journalFormat } from '../../core/session/journal.ts';
import { VERSION } from '../../core/version.ts';
import { SessionFold } from '../journal/fold.ts';
import { createSessionJournal } from '../journal/session-journal.ts';
import type { SessionJournal } from '../journal/session-journal.ts';

/** The beginning of a new session. */
export interface NewSession {
  readonly id: string;
  readonly cwd: string;
  /** @defaultValue random */
  readonly seed?: string | undefined;
  /**
   * The session's journal. If it has entries, the caller has also recorded the opening. Left out: a
   * journal without a store.
   */
  readonly journal?: SessionJournal | undefined;
}

/** Records the first entries of a new session. */
export async function openJournal(
  { id, cwd, seed = crypto.randomUUID(), journal: given }: NewSession,
  clock: Pick<Clock, 'now'>,
): Promise<SessionJournal> {
  const journal =
    given ?? createSessionJournal({ fold: new SessionFold(), store: undefined, clock });
  if (journal.fold.session) return journal;
  await journal.record(
    { type: 'session', format: journalFormat, id, seed, cwd, version: VERSION },
    { type: 'opened', owner: crypto.randomUUID(), why: 'start' },
  );
  return journal;
}
