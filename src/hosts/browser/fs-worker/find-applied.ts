// Finds the commits of a dead FS worker that are in the workspace although they weren't acknowledged. Its successor
// asks before it takes requests, so that no commit is applied twice.
import { answerTo } from '../../../workspace/state/state.ts';
import type { WriterPort } from '../../../workspace/commit/writer-port.ts';
import type { OpenedFacts, UnansweredCommit } from '../wire/protocol.ts';

/** The applied requests by number, each with the record that answers it, or a later one. */
export async function findApplied(
  writer: WriterPort,
  unanswered: readonly UnansweredCommit[],
): Promise<OpenedFacts['applied']> {
  if (unanswered.length === 0) return [];
  // The leader may be another tab, and may still have these commits in its queue. An empty commit
  // writes nothing, and is answered once all that came before it is decided.
  await writer.commit({ baseSeq: 0, changes: [] }, { author: { kind: 'user' } });
  return unanswered.flatMap(({ id, origin }) => {
    const seq = answerTo(writer.state, origin);
    return seq === undefined ? [] : [[id, seq] as const];
  });
}
