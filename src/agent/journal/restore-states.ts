// The saved states of a session's tools, such as a Repl's variables. They are read from the journal
// for a new host, or for one that rewinds to an earlier entry.
import type { Executor, StateChain } from '../../core/tool/ports.ts';
import type { JournalBytes, VmChange } from '../../core/session/journal.ts';
import type { SessionFold } from './fold.ts';
import { areLost } from './lost-parts.ts';

/**
 * The states that the executor keeps by that id go on from what the fold knows. None of the
 * session's calls may run. `readContent` reads what is stored beside an entry. A tool whose bytes
 * are lost for good begins anew, and says so; the fold forgets its names. Rejects as `readContent`
 * does otherwise, and with `invalid-input` where a state can't be read; nothing has changed then.
 */
export async function restoreStates(
  executor: Pick<Executor, 'restoreStates'>,
  executorId: string,
  fold: Pick<SessionFold, 'vm' | 'kept'>,
  readContent: (contentId: number) => Promise<Uint8Array>,
): Promise<void> {
  const read = async (bytes: JournalBytes) =>
    new Uint8Array(bytes instanceof Uint8Array ? bytes : await readContent(bytes.contentId));
  const readChain = async (toolName: string, changes: readonly VmChange[]): Promise<StateChain> => {
    try {
      return { toolName, changes: await Promise.all(changes.map(({ bytes }) => read(bytes))) };
    } catch (error) {
      if (!areLost(error)) throw error;
      fold.kept.delete(toolName);
      return { toolName, changes: [], lost: error.message };
    }
  };
  const chains = [...fold.vm].map(([toolName, changes]) => readChain(toolName, changes));
  await executor.restoreStates?.(executorId, await Promise.all(chains));
}
