// Sets a session's sandboxes to what its journal says that they hold: when it is opened again, and after a
// rewind.
import { restoreStates } from '../../journal/restore-states.ts';
import type { Session } from '../session.ts';

/** Does the host take states back? */
export function keepsRepl({ host }: Pick<Session, 'host'>): boolean {
  return host.executor.restoreStates !== undefined;
}

/**
 * The variables are as the journal has them now. None of the session's calls may run. Rejects where their bytes
 * can't be read; nothing has changed then.
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
