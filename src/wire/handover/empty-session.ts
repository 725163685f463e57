// A session without messages gives way to a session that moves to its place.
import type { Workspace } from '../../workspace/workspace.ts';
import type { SessionFold } from '../../agent/journal/fold.ts';
import { hasJournal, loadJournal } from '../../agent/journal/stored-journal.ts';
import { readLedger } from '../../agent/session/handover/ledger.ts';
import { findOut } from '../../agent/session/handover/whereabouts.ts';
import { removeSession } from '../../agent/stored-sessions/manage-sessions.ts';

/**
 * True if the session has messages. A place whose session was only opened can still receive another
 * session.
 */
export async function isUsed(workspace: Workspace, session: string): Promise<boolean> {
  if (!(await hasJournal(workspace, session))) return false;
  const fold = await loadJournal(workspace, session);
  return fold.promptIds.size > 0 && (await runsHere(workspace, session, fold));
}

/**
 * Removes the session with that id if it was created here, has never been moved, and has no
 * messages. The caller must hold it, so that nobody has it open.
 */
export async function removeEmpty(workspace: Workspace, session: string): Promise<void> {
  if (!(await hasJournal(workspace, session))) return;
  const fold = await loadJournal(workspace, session);
  if (fold.promptIds.size > 0 || fold.place || !(await runsHere(workspace, session, fold))) return;
  await removeSession(workspace, session);
}

async function runsHere(
  { streams }: Workspace,
  session: string,
  fold: SessionFold,
): Promise<boolean> {
  const where = findOut(fold, await readLedger(streams, session));
  return where === 'here' || where === 'leaving';
}
