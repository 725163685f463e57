// The checkpoints of a session's turns. loop.ts creates one at the beginning of a turn, and
// rewind.ts restores one. Older ones are dropped, because a workspace has a limited number.
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
 * Records the beginning of a turn, with the given entries. If the workspace has changed since the
 * last checkpoint, the same record creates a new one. The turn continues if that fails (too many
 * roots, a full disk). A notice then says that this prompt's files can't be restored. Rejects if
 * the journal is broken.
 */
export async function recordTurn(
  session: CheckpointSession,
  turn: TurnRecord,
  prompt: MessageParam,
  rest: readonly JournalRecord[],
): Promise<void> {
  const { journal, emit } = session;
  // Only `main` can have checkpoints, because a branch is taken or dropped as a whole. A session
  // that isn't kept can't be rewound later, so it gets none. A sub-agent is never rewound.
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
  await dropOldCheckpoints(roots);
  // The id contains the session's id, because a fork has the same seed, prompts and workspace.
  const id = ids.of('checkpoint', sessionId, turn.prompt);
  const label = `session/${sessionId}: ${clipText(textOf(prompt.content, ' '), maxLabelChars)}`;
  await journal.recordWith([{ ...turn, checkpoint: id }, ...rest], (append) =>
    roots.checkpoint(label, { author, id, ...(append && { append }) }),
  );
}

// 100: enough for a person to recognise the prompt in a list.
const maxLabelChars = 100;

/**
 * Drops checkpoints of sessions until there is room for one more, as {@link chooseDropped} chooses.
 * Those in `needed` stay. Rejects like the workspace.
 */
export async function dropOldCheckpoints(
  roots: WorkspaceRoots,
  needed: readonly (string | undefined)[] = [],
): Promise<void> {
  for (const id of chooseDropped(await roots.list(), needed)) await roots.drop(id, { author });
}

// A quarter of the workspace's 1 024 roots is left for branches and for people's own checkpoints.
const maxOfSessions = 768;
// Even if there are more branches than that, sessions leave 64 roots free for people's checkpoints.
const maxInAll = 960;
/** This many checkpoints of each session are kept while another session has more. */
const newestKept = 50;

/**
 * Chooses the checkpoints to drop. Each one is dropped from the session with the most checkpoints.
 * That session's newest 50 stay. Among the older ones, the one is dropped whose gap is smallest in
 * proportion to its age. So older checkpoints are further apart, and the first one stays. Pure.
 * `roots`: in the order of their creation.
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

/** The index of the checkpoint to drop next. */
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
    // The first checkpoint has no earlier one, so it is dropped last.
    return before === undefined ? Number.MAX_VALUE : (after - before) / Math.max(1, newest - seq);
  });
  const least = Math.min(...scores);
  return least === Infinity ? undefined : scores.indexOf(least);
}

/** True if the label is that of a checkpoint of this session. */
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
 * The session of a checkpoint, by its label. The label of a rewind's checkpoint contains the label
 * of the target.
 */
function toSessionId({ kind, label }: WorkspaceRoot): string | undefined {
  if (kind !== 'checkpoint') return undefined;
  return readSessionId(label);
}

function readSessionId(label: string): string | undefined {
  return /^(?:Before rewinding to: )*session\/([\w-]+): /u.exec(label)?.[1];
}
