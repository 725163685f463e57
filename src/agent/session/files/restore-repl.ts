// Restores a session's sandboxes from its journal: when the session is opened again, and after a
// rewind.
import { restoreStates } from '../../journal/restore-states.ts';
import type { Session } from '../session.ts';

/** True if the host takes states back. */
export function keepsRepl({ host }: Pick<Session, 'host'>): boolean {
  return host.executor.restoreStates !== undefined;
}

/**
 * Restores the variables of the journal. None of the session's calls may run. Rejects if their
 * bytes can't be read. Nothing has changed then.
 */
export async function restoreRepl({
  host,
  journal,
  executorId,
}: Pick<Session, 'host' | 'journal' | 'executorId'>): Promise<void> {
  const { executor, workspace } = host;
  await restoreStates(executor, executorId, journal.fold, (contentId) =>
    workspace.streams.readContent(contentId),
  );
}
