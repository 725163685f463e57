// Rewind and undo of a session. The conversation, the files and the Repl's variables are restored
// together, as one record of the workspace's log. Called by the session's owner while no turn runs.
import type { FileChange } from '../../../core/change-set.ts';
import { SdkError } from '../../../core/errors.ts';
import type { RewoundRecord } from '../../../core/session/journal.ts';
import { suggestNames } from '../../../core/text/near-names.ts';
import { isRecord } from '../../../core/values/is-record.ts';
import type { RewindFilesResult, RewindOptions, RewindResult } from '../../agent-session.ts';
import type { MemoryRecord } from '../../context/memory.ts';
import type { SessionFold } from '../../journal/fold.ts';
import type { TurnMark } from '../../journal/folded.ts';
import { dropOldCheckpoints } from './checkpoints.ts';
import type { CheckpointSession } from './checkpoints.ts';
import { keepsRepl, restoreRepl } from './restore-repl.ts';
import { mainRoot } from './session-root.ts';
import type { Session } from '../session.ts';

/** The parts of a session that a rewind reads and changes. */
export type RewoundSession = CheckpointSession &
  Pick<Session, 'executorId' | 'memory' | 'readFileState'>;

const author = { kind: 'user' } as const;

/**
 * Restores the state before the prompt with that uuid, atomically. If there is no checkpoint of the
 * files any more, the files stay as they are, and `filesNote` has the reason. Permissions, taint,
 * usage and the session's own files never change.
 *
 * Rejects with `bad-usage` for unknown options, for a prompt outside the conversation, and while a
 * turn or a background task runs. Rejects like the workspace, too. After an error about an
 * unreadable state, the rewind is done, but the variables are unchanged. The rewind is also done if
 * its changes can't be read afterwards.
 */
export async function rewindSession(
  session: RewoundSession,
  promptUuid: string,
  options: RewindOptions = {},
): Promise<RewindResult> {
  checkOptions('rewind', options);
  const { fold } = session.journal;
  checkAtRest(fold);
  const { n, checkpoint } = findTurn(fold, promptUuid);
  const { files = true, repl = true } = options;
  const target = { to: n - 1, checkpoint, files, vm: repl };
  return options.dryRun
    ? describeRewind(session, target, options)
    : carryOut(session, target, options);
}

/**
 * The result of a rewind without the contents of files, because comparing thousands of files takes
 * long.
 */
export interface RewoundPaths extends Pick<RewindResult, 'n' | 'kept' | 'filesNote'> {
  readonly paths: readonly string[];
}

/** Works like {@link rewindSession} with all parts, but gives only the changed paths. */
export async function rewindToPrompt(
  session: RewoundSession,
  promptUuid: string,
): Promise<RewoundPaths> {
  const { fold } = session.journal;
  checkAtRest(fold);
  const { n, checkpoint } = findTurn(fold, promptUuid);
  const { undo: _, ...done } = await land(session, {
    to: n - 1,
    checkpoint,
    files: true,
    vm: true,
  });
  return done;
}

/**
 * Reverts the last rewind and everything after it: the conversation, and the files and variables if
 * the rewind had changed them. Another undo reverts this one. Rejects with `bad-usage` if there was
 * no rewind, and like {@link rewindSession}.
 */
export async function undoRewind(session: RewoundSession): Promise<RewindResult> {
  const { fold } = session.journal;
  checkAtRest(fold);
  const last = [...fold.rewinds.values()].at(-1);
  if (!last) throw new SdkError('bad-usage', 'There is no rewind to take back.');
  const { n, files, vm = false } = last;
  return carryOut(session, { to: n - 1, checkpoint: files?.undo, files: files !== undefined, vm });
}

/**
 * Restores only the files, as they were before the prompt with that uuid. A person's later changes
 * and the conversation stay. {@link undoRewind} reverts it, and everything after it. With `dryRun`
 * nothing changes. The result has the reason if the rewind isn't possible. Rejects like the
 * workspace.
 */
export async function rewindFiles(
  session: RewoundSession,
  promptUuid: string,
  options: { readonly dryRun?: boolean } = {},
): Promise<RewindFilesResult> {
  checkOptions('rewindFiles', options);
  const { dryRun = false } = options;
  const { fold } = session.journal;
  const turn = fold.turns.find(({ prompt }) => prompt === promptUuid);
  if (!turn) return { canRewind: false, error: noSuchPrompt(promptUuid, fold).message };
  const { checkpoint } = turn;
  const found = await findCheckpoint(session, checkpoint);
  if ('note' in found) return { canRewind: false, error: found.note };
  if (!dryRun) checkAtRest(fold);
  const target = { to: fold.length, checkpoint, files: true, vm: false };
  const run = dryRun ? describeRewind : carryOut;
  const { changes } = await run(session, target, { keep: 'user' });
  return toFilesResult(changes);
}

/** The target of a rewind, and the parts that it rewinds. */
interface Target {
  /** The conversation continues from this entry. */
  readonly to: number;
  readonly checkpoint: string | undefined;
  readonly files: boolean;
  readonly vm: boolean;
}

async function describeRewind(
  session: RewoundSession,
  { checkpoint, files }: Target,
  { keep }: RewindOptions,
): Promise<RewindResult> {
  if (!files) return { changes: [], kept: [] };
  const found = await findCheckpoint(session, checkpoint);
  if ('note' in found) return { changes: [], kept: [], filesNote: found.note };
  const { roots } = session.host.workspace;
  const all = await roots.diff(found.id);
  if (!keep) return { changes: all, kept: [] };
  const changes = await roots.diff(found.id, { keep });
  const changed = new Set(changes.map(({ path }) => path));
  const kept = all.map(({ path }) => path).filter((path) => !changed.has(path));
  return { changes, kept };
}

async function carryOut(
  session: RewoundSession,
  target: Target,
  options: Pick<RewindOptions, 'keep'> = {},
): Promise<RewindResult> {
  const { undo, paths: _, ...done } = await land(session, target, options);
  const { roots } = session.host.workspace;
  const changes = undo === undefined ? [] : await roots.diff(mainRoot, { against: undo });
  return { ...done, changes };
}

/** `undo`: the checkpoint of the files before the rewind. */
async function land(
  session: RewoundSession,
  target: Target,
  { keep }: Pick<RewindOptions, 'keep'> = {},
): Promise<RewoundPaths & { readonly undo: string | undefined }> {
  const { journal, host, ids } = session;
  const { roots } = host.workspace;
  const found = target.files ? await findCheckpoint(session, target.checkpoint) : undefined;
  const vm = target.vm && keepsRepl(session) && { vm: true };
  let record: RewoundRecord = { type: 'rewound', to: target.to, ...vm };
  let paths: readonly string[] = [];
  let kept: readonly string[] = [];
  let undo: string | undefined;
  await journal.fold.recall(target.to);
  if (found && 'id' in found) {
    await dropOldCheckpoints(roots, [found.id]);
    const before = ids.of('undo', session.id, journal.fold.length);
    record = { ...record, files: { checkpoint: found.id, undo: before } };
    const rewind = { author, undo: before, ...(keep && { keep }) };
    ({ paths, kept } = await journal.recordWith([record], (append) =>
      roots.rewind(found.id, { ...rewind, ...(append && { append }) }),
    ));
    undo = before;
  } else {
    await journal.recordSafely(record);
  }
  // Done first: the rewind is valid even if a later step fails.
  await followFold(session, vm !== false);
  const n = [...journal.fold.rewinds.keys()].at(-1);
  const note = found && 'note' in found && { filesNote: found.note };
  return { ...(n !== undefined && { n }), undo, paths, kept, ...note };
}

/** Updates the state outside the journal to match it. State that isn't rewound needs no update. */
async function followFold(session: RewoundSession, vm: boolean): Promise<void> {
  const { fold } = session.journal;
  session.readFileState.reset(fold.reads);
  session.memory.reset(fold.states.get('memory') as MemoryRecord | undefined);
  if (vm) await restoreRepl(session);
}

/** The checkpoint, or a sentence with the reason why there is none. */
async function findCheckpoint(
  { host, root }: RewoundSession,
  checkpoint: string | undefined,
): Promise<{ readonly id: string } | { readonly note: string }> {
  if (root.id !== mainRoot) {
    return {
      note: 'The session works on a branch, of which there are no checkpoints: files stay as they are.',
    };
  }
  const listed = await host.workspace.roots.list({ kind: 'checkpoint' });
  if (checkpoint !== undefined && listed.some(({ id }) => id === checkpoint)) {
    return { id: checkpoint };
  }
  const why = checkpoint === undefined ? 'none could be made' : 'it was thinned out, or dropped';
  return { note: `There is no checkpoint of the files from then (${why}): they stay as they are.` };
}

/** The turn of that prompt, on the path of the present conversation. */
function findTurn(fold: SessionFold, promptUuid: string): TurnMark {
  const path = new Set(fold.pathTo(fold.length));
  const found = fold.turns.findLast(({ n, prompt }) => prompt === promptUuid && path.has(n));
  if (!found) {
    const joined = fold.joined.filter(({ n }) => path.has(n));
    throw noSuchPrompt(promptUuid, { joined });
  }
  return found;
}

function noSuchPrompt(promptUuid: string, { joined }: Pick<SessionFold, 'joined'>): SdkError {
  const turn = joined.find(({ prompt }) => prompt === promptUuid)?.turn;
  if (turn !== undefined) {
    return new SdkError(
      'bad-usage',
      `The prompt "${promptUuid}" has joined a turn. Rewind to the prompt that has begun the turn, "${turn}".`,
      { data: { promptUuid, turn } },
    );
  }
  return new SdkError(
    'bad-usage',
    `The conversation has no prompt "${promptUuid}". It may wait still, or was taken back by a rewind: undo brings it back.`,
    { data: { promptUuid } },
  );
}

/** Running work belongs to the part of the conversation that the rewind would remove. */
function checkAtRest({ turn, tasks, agents }: SessionFold): void {
  if (turn?.isPutOff) {
    throw new SdkError(
      'bad-usage',
      'The conversation waits for a call that a hook has put off. Send a prompt, which withdraws the call, and rewind then.',
    );
  }
  // A person's own command may request the rewind.
  if (turn && turn.turn.command === undefined) {
    throw new SdkError(
      'bad-usage',
      'A turn runs, or was cut and not resumed. Interrupt it, or resume it to its end, and rewind then.',
    );
  }
  const ofAgents = [...agents.values()].flatMap(({ fold }) => [...fold.tasks.values()]);
  const running = [...tasks.values(), ...ofAgents].filter(({ status }) => status === 'running');
  if (running.length === 0) return;
  throw new SdkError(
    'bad-usage',
    `Tasks run in the background: ${running.map(({ id }) => id).join(', ')}. Stop them, or wait for them, and rewind then.`,
    { data: { tasks: running.map(({ id }) => id) } },
  );
}

const rewindFlags = ['files', 'repl', 'dryRun'] as const satisfies readonly (keyof RewindOptions)[];
const known = { rewind: [...rewindFlags, 'keep'], rewindFiles: ['dryRun'] };

/** A misspelt `dryRun` must not cause a rewind. Other tabs and the wire pass options unchecked. */
function checkOptions(method: keyof typeof known, options: unknown): void {
  if (!isRecord(options)) refuse(`${method} takes a prompt's uuid and an object of options.`);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!known[method].includes(name)) {
      refuse(`${method} has no option named ${name}. ${suggestNames(name, known[method])}`, name);
    }
    if (name === 'keep') {
      if (value !== 'user') refuse("keep is 'user', or left out.", name);
    } else if (typeof value !== 'boolean') {
      refuse(`${name} is true or false, not ${JSON.stringify(value)}.`, name);
    }
  }
}

function refuse(message: string, option?: string): never {
  throw new SdkError('bad-usage', message, { data: { ...(option !== undefined && { option }) } });
}

function toFilesResult(changes: readonly FileChange[]): RewindFilesResult {
  const sum = (count: (change: FileChange) => number) =>
    changes.reduce((total, change) => total + count(change), 0);
  return {
    canRewind: true,
    filesChanged: changes.map(({ path }) => path),
    insertions: sum(({ additions }) => additions),
    deletions: sum(({ deletions }) => deletions),
  };
}
