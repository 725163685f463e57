// The checkpoints before a session's turns. loop.ts makes one as a turn begins, rewind.ts goes back to one. Older ones
// are thinned out, because a workspace holds a limited number.
import { textOf } from '../../../core/messages/blocks.ts';
import { clipText } from '../../../core/text/clip-text.ts';
import { describeThrown } from '../../../core/errors.ts';
import { getOrMake } from '../../../core/values/get-or-make.ts';
import type { JournalRecord, TurnRecord } from '../../../core/session/journal.ts';
import type { MessageParam } from '../../../core/messages/messages.ts';
import type { Workspace } from '../../../workspace/workspace.ts';
import { toNoticeMessage } from '../../messages/to-sdk-message.ts';
import { mainRoot } from './session-root.ts';
import type { Session } from '../session.ts';

type WorkspaceRoots = Workspace['roots'];
type WorkspaceRoot = Awaited<ReturnType<WorkspaceRoots['list']>>[number];

/** The parts of the session that a checkpoint uses. */
export type CheckpointSession = Pick<
  Session,
  'agent' | 'emit' | 'host' | 'id' | 'ids' | 'journal' | 'root'
>;

const author = { kind: 'agent' } as const;

/**
 * Records a turn and the entries that go with it. If the workspace has changed since the session's
 * last checkpoint, a new one lands in the same record. A refused checkpoint (too many roots, a full
 * disk) fails no turn: a notice says so, and this prompt's files can't be brought back. Rejects if
 * the journal is broken.
 */
export async function recordTurn(
  session: CheckpointSession,
  turn: TurnRecord,
  prompt: MessageParam,
  rest: readonly JournalRecord[],
): Promise<void> {
  const { journal, emit } = session;
  // Only `main` can be pinned: a branch is taken or dropped as a whole. Nobody could go back in a
  // session that isn't kept, so its checkpoints would stay in the workspace. Nobody rewinds a
  // sub-agent.
  const isPinned =
    !session.agent && !turn.isBlocked && session.root.id === mainRoot && journal.isKept;
  if (!isPinned) return journal.record(turn, ...rest);
  try {
    await recordWithCheckpoint(session, turn, prompt, rest);
  } catch (error) {
    if (journal.broken.aborted) throw journal.broken.reason;
    const notice = `The files as they are now couldn't be pinned, so a rewind to this prompt will leave files as they are: ${describeThrown(error)}`;
    emit(toNoticeMessage(session, notice, 'warning'));
    await journal.record(turn, ...rest);
  }
}

async function recordWithCheckpoint(
  { host, id: sessionId, ids, journal }: CheckpointSession,
  turn: TurnRecord,
  prompt: MessageParam,
  rest: readonly JournalRecord[],
): Promise<void> {
  const { workspace } = host;
  const { roots } = workspace;
  const last = journal.fold.turns.findLast((one) => one.checkpoint !== undefined)?.checkpoint;
  const listed = await roots.list({ kind: 'checkpoint' });
  const isCurrent = listed.some(({ id, seq }) => id === last && seq === workspace.seq());
  if (isCurrent) return journal.record({ ...turn, checkpoint: last as string }, ...rest);
  await makeRoom(roots);
  // The session's id is a part of it: a fork has the same seed and prompts, and the same workspace.
  const id = ids.of('checkpoint', sessionId, turn.prompt);
  const label = `session/${sessionId}: ${clipText(textOf(prompt.content, ' '), maxLabelChars)}`;
  await journal.recordWith([{ ...turn, checkpoint: id }, ...rest], (append) =>
    roots.checkpoint(label, { author, id, ...(append && { append }) }),
  );
}

// 100: enough for a person to know the prompt again in a list.
const maxLabelChars = 100;

/**
 * Drops as many of the sessions' checkpoints as make room for one more, by {@link chooseDropped}. Those in
 * `needed` stay. Rejects as the workspace does.
 */
export async function makeRoom(
  roots: WorkspaceRoots,
  needed: readonly (string | undefined)[] = [],
): Promise<void> {
  for (const id of chooseDropped(await roots.list(), needed)) await roots.drop(id, { author });
}

// A quarter of the workspace's 1 024 roots is left to branches and to people's own checkpoints.
const maxOfSessions = 768;
// If those are more, sessions still leave this many free: people make some between two prompts.
const maxInAll = 960;
/** So many of each session are never thinned out while another session has more. */
const newestKept = 50;

/**
 * Chooses the checkpoints that make room for one more. Each is one of the session that has most.
 * That session's newest 50 stay. Among the older ones, the one goes that leaves the smallest gap
 * for its age. So the gaps grow in proportion to age, and the first one stays. Pure. `roots` in the
 * order in which they were made.
 */
export function chooseDropped(
  roots: readonly WorkspaceRoot[],
  needed: readonly (string | undefined)[] = [],
): string[] {
  const bySession = new Map<string, WorkspaceRoot[]>();
  let count = 0;
  for (const root of roots) {
    const session = toSessionId(root);
    if (session === undefined) continue;
    getOrMake(bySession, session, () => []).push(root);
    count += 1;
  }
  const others = roots.length - count;
  const dropped: string[] = [];
  while (count > 0 && (count >= maxOfSessions || count + others >= maxInAll)) {
    const largest = [...bySession.values()].reduce((a, b) => (b.length > a.length ? b : a));
    const at = chooseOne(largest, needed);
    if (at === undefined) break;
    dropped.push(...largest.splice(at, 1).map(({ id }) => id));
    count -= 1;
  }
  return dropped;
}

/** The index of the checkpoint that would be missed least. */
function chooseOne(
  list: readonly WorkspaceRoot[],
  needed: readonly (string | undefined)[],
): number | undefined {
  const kept = list.length > newestKept ? newestKept : 1;
  const newest = list.at(-1)?.seq ?? 0;
  const scores = list.slice(0, Math.max(1, list.length - kept)).map(({ id, seq }, at) => {
    if (needed.includes(id)) return Infinity;
    const before = list[at - 1]?.seq;
    const after = list[at + 1]?.seq ?? newest;
    // The first checkpoint has no gap before it. It goes last.
    return before === undefined ? Number.MAX_VALUE : (after - before) / Math.max(1, newest - seq);
  });
  const least = Math.min(...scores);
  return least === Infinity ? undefined : scores.indexOf(least);
}

/** True if the label is one of that session's. */
export function isPinnedBy(label: string, sessionId: string): boolean {
  return readSessionId(label) === sessionId;
}

/**
 * The roots that a session has pinned: the checkpoints of its turns and rewinds, and its dry run's
 * branch.
 */
export async function listPinned(
  roots: Pick<WorkspaceRoots, 'list'>,
  sessionId: string,
): Promise<readonly WorkspaceRoot[]> {
  return (await roots.list()).filter(({ label }) => isPinnedBy(label, sessionId));
}

/**
 * The session of a checkpoint, by its label. The label of a rewind's checkpoint names the one that
 * the rewind went to.
 */
function toSessionId({ kind, label }: WorkspaceRoot): string | undefined {
  if (kind !== 'checkpoint') return undefined;
  return readSessionId(label);
}

function readSessionId(label: string): string | undefined {
  return /^(?:Before rewinding to: )*session\/([\w-]+): /u.exec(label)?.[1];
}
