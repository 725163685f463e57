// The saved states of a session's tools, such as a Repl's variables, read from the journal for a new host, or for one
// that rewinds to an earlier entry.
import type { JournalBytes } from '../../core/session/journal.ts';
import type { Executor } from '../../core/tool/ports.ts';
import type { SessionFold } from './fold.ts';

/**
 * What the executor keeps by that id goes on from what the fold knows. None of its calls may run. `readContent` reads what is stored
 * beside an entry. Rejects with `invalid-input` where a state can't be read; nothing has changed then.
 */
export async function restoreStates(
  executor: Pick<Executor, 'restoreStates'>,
  executorId: string,
  { vm }: Pick<SessionFold, 'vm'>,
  readContent: (contentId: number) => Promise<Uint8Array>,
): Promise<void> {
  const read = async (bytes: JournalBytes) =>
    new Uint8Array(bytes instanceof Uint8Array ? bytes : await readContent(bytes.contentId));
  const chains = [...vm].map(async ([toolName, changes]) => ({
    toolName,
    changes: await Promise.all(changes.map((change) => read(change.bytes))),
  }));
  await executor.restoreStates?.(executorId, await Promise.all(chains));
}
