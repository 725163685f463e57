// Who has which session open in this realm: one at a time. Used by session-engine.ts, and by whoever changes a
// session that may be open (its title, say).
import { SdkError } from '../../core/errors.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { SessionJournal } from '../journal/session-journal.ts';

/** Dispose it when nothing is recorded any more: the session may be opened again then. */
export interface HeldSession extends Disposable {
  /** All that is recorded must go by it while it is there. Undefined while the session is being loaded. */
  journal: SessionJournal | undefined;
}

const held = new WeakMap<Workspace, Map<string, HeldSession>>();

/**
 * Other realms are told apart by the journal itself: whoever appends second gets `EFENCED`.
 *
 * @throws SdkError `bad-usage` where the session is open already.
 */
export async function holdSession(workspace: Workspace, id: string): Promise<HeldSession> {
  const sessions = held.get(workspace) ?? new Map<string, HeldSession>();
  held.set(workspace, sessions);
  if (sessions.has(id)) throw isOpen(id);
  const session: HeldSession = {
    journal: undefined,
    [Symbol.dispose]() {
      if (sessions.get(id) === session) sessions.delete(id);
    },
  };
  sessions.set(id, session);
  return session;
}

/** The session as it is open in this realm; undefined where it isn't. */
export function findHeldSession(workspace: Workspace, id: string): HeldSession | undefined {
  return held.get(workspace)?.get(id);
}

function isOpen(id: string): SdkError {
  return new SdkError(
    'bad-usage',
    `The session ${id} is open here already. Use that one, or close it first; a query holds its session until it has been read to its end or left.`,
    { data: { sessionId: id } },
  );
}
