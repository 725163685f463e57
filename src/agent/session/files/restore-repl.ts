// Restores the variables of a session's Repl from the journal, when the session is opened again and
// after a rewind.
import { restoreStates } from '../../journal/restore-states.ts';
import type { Session } from '../session.ts';

/** True if the host can restore the Repl's state. */
export function keepsRepl({ host }: Pick<Session, 'host'>): boolean {
  return host.executor.restoreStates !== undefined;
}

/**
 * Restores the journal's variables. None of the session's calls may run meanwhile. Rejects if their
 * bytes can't be read; then nothing has changed.
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
