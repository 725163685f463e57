// Sets a session's sandboxes to what its journal says that they hold. rewind.ts calls it, and whoever opens a
// session anew may.
import type { JournalBytes } from '../../core/journal.ts';
import type { Executor } from '../../core/tool/ports.ts';
import type { Session } from './session.ts';

/** An executor that keeps states between calls, and takes them back. */
interface RestoringExecutor {
  restoreStates(
    sessionId: string,
    chains: readonly { readonly toolName: string; readonly changes: readonly Uint8Array[] }[],
  ): Promise<void>;
}

/** Does the host keep anything that could be restored? */
export function keepsRepl({ host }: Pick<Session, 'host'>): boolean {
  return isRestoring(host.executor);
}

/**
 * The variables are as the journal has them now. None of the session's calls may run. Rejects where their bytes
 * can't be read; nothing has changed then.
 */
export async function restoreRepl({
  host,
  id,
  journal,
}: Pick<Session, 'host' | 'id' | 'journal'>): Promise<void> {
  const { executor, workspace } = host;
  if (!isRestoring(executor)) return;
  const readBytes = async (bytes: JournalBytes) =>
    bytes instanceof Uint8Array ? bytes : workspace.streams.readContent(bytes.contentId);
  const chains = [...journal.fold.vm].map(async ([toolName, changes]) => ({
    toolName,
    changes: await Promise.all(changes.map(({ bytes }) => readBytes(bytes))),
  }));
  await executor.restoreStates(id, await Promise.all(chains));
}

function isRestoring(executor: Executor): executor is Executor & RestoringExecutor {
  return typeof (executor as Partial<RestoringExecutor>).restoreStates === 'function';
}
