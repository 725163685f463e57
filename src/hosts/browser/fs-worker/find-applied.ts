// Finds commits of a dead FS worker that were applied but not acknowledged. Its successor does this
// before it accepts requests, so that no commit is applied twice.
import { answerTo } from '../../../workspace/state/state.ts';
import type { WriterPort } from '../../../workspace/commit/writer-port.ts';
import type { OpenedFacts, UnansweredCommit } from '../wire/protocol.ts';

/** Returns the applied requests by number, each with its record or a later one. */
export async function findApplied(
  writer: WriterPort,
  unanswered: readonly UnansweredCommit[],
): Promise<OpenedFacts['applied']> {
  if (unanswered.length === 0) return [];
  // The leader may be another tab that still has these commits in its queue. An empty commit writes
  // nothing, and is answered once all earlier ones are decided.
  await writer.commit({ baseSeq: 0, changes: [] }, { author: { kind: 'user' } });
  return unanswered.flatMap(({ id, origin }) => {
    const seq = answerTo(writer.state, origin);
    return seq === undefined ? [] : [[id, seq] as const];
  });
}
