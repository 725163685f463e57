// Moves an agent into a work tree and out of it, for EnterWorktree and ExitWorktree. The files,
// git's own files and the new working directory are in one record of the log. Loaded with the first
// such call; calls/dispatch.ts passes it to the call.
import { createAbortError, throwIfAborted } from '../../../core/async/abort.ts';
import { createPathJudge } from '../../../core/access/path-access.ts';
import type { PathAccess } from '../../../core/access/path-access.ts';
import { worktreesFolder } from '../../../core/access/rule-place.ts';
import type { ChangeSet } from '../../../core/change-set.ts';
import { SdkError, fromSerializedError, hasCode } from '../../../core/errors.ts';
import { gitSteps, gitWorkName } from '../../../core/git/git-steps.ts';
import type {
  DoomedWorktree,
  RemovedWorktree,
  StepWorktree,
  WantedWorktree,
} from '../../../core/git/git-steps.ts';
import { isInside, joinPath, resolvePath } from '../../../core/path.ts';
import type { WorkReply } from '../../../core/tool/ports.ts';
import type {
  CallWorktrees,
  EnteredWorktree,
  LeftWorktree,
} from '../../../core/session/session-worktrees.ts';
import { worktreeState } from '../../journal/worktree-state.ts';
import { readState, toWorktreeCwd } from './work-place.ts';
import type { WorktreeState } from './work-place.ts';
import type { Session } from '../session.ts';

/** The call that moves the agent. */
export interface MovingCall {
  readonly id: string;
  readonly access: PathAccess;
  readonly signal: AbortSignal;
}

// 10 minutes: a limit for hangs. A work tree of many thousand files is written in seconds.
const timeoutMs = 600_000;

/** The implementation of {@link CallWorktrees}. */
export function createCallWorktrees(session: Session, call: MovingCall): CallWorktrees {
  const { journal, root, place, hooks } = session;
  const newest = () => readState(journal.fold.states.get(worktreeState));

  async function enter({ name, path }: Parameters<CallWorktrees['enter']>[0]) {
    const state = newest();
    if (state?.type === 'in') {
      // The call is resumed, so its work tree exists already.
      if (state.callId === call.id) return state.worktree;
      throw new SdkError(
        'bad-usage',
        `You are in the work tree ${state.worktree.path} already. Leave it with ExitWorktree first.`,
      );
    }
    const from = place.next;
    const wanted = name ?? `work-${session.ids.of('worktree', call.id).slice(0, 8)}`;
    const byHook = path === undefined ? await askHook(wanted) : undefined;
    if (byHook !== undefined) {
      const worktree: EnteredWorktree = { path: byHook, from, origin: 'hook' };
      await journal.recordSafely(toRecord({ type: 'in', callId: call.id, worktree, of: from }));
      await hooks?.changeCwd(from, byHook, call.signal);
      return worktree;
    }
    const step: WantedWorktree =
      path === undefined
        ? { name: wanted, branch: `worktree-${wanted}` }
        : { path: resolvePath(from, path) };
    const { output, changeSet } = await runGit(gitSteps.enter, step, from);
    const made = output as StepWorktree;
    checkPlace(
      made,
      'path' in step ? step.path : joinPath(made.of, `${worktreesFolder}/${wanted}`),
    );
    const { branch } = made;
    const worktree: EnteredWorktree = {
      path: made.path,
      ...(branch !== undefined && { branch }),
      from,
      origin: path === undefined ? 'git' : 'found',
    };
    await keep({ type: 'in', callId: call.id, worktree, of: made.of }, changeSet, made);
    await hooks?.changeCwd(from, made.path, call.signal);
    return worktree;
  }

  async function leave({ remove, discard }: Parameters<CallWorktrees['leave']>[0]) {
    const state = newest();
    if (state?.type === 'left' && state.callId === call.id) return state.left;
    if (state?.type !== 'in') {
      throw new SdkError(
        'bad-usage',
        'You are in no work tree: EnterWorktree takes you into one. There is nothing to leave.',
      );
    }
    const { worktree, of } = state;
    const { path, branch, from } = worktree;
    const told = { path, ...(branch !== undefined && { branch }), from };
    if (!remove) {
      const left: LeftWorktree = { ...told, isRemoved: false };
      await journal.recordSafely(toRecord({ type: 'left', callId: call.id, left }));
      await hooks?.changeCwd(path, from, call.signal);
      return left;
    }
    if (worktree.origin === 'found') {
      throw new SdkError(
        'bad-usage',
        `${path} was there before you entered it, so it isn't removed. Leave it with action "keep".`,
      );
    }
    const busy = findAgentIn(session, path);
    if (busy !== undefined) {
      throw new SdkError(
        'bad-usage',
        `The agent ${busy} works in ${path}. Wait until it has ended, or stop it, and remove the work tree then.`,
      );
    }
    if (worktree.origin === 'hook') return leaveHooks(told, discard);
    const doomed: DoomedWorktree = { path, ...(branch !== undefined && { branch }), discard };
    const { output, changeSet } = await runGit(gitSteps.leave, doomed, of);
    const left: LeftWorktree = { ...told, isRemoved: true, ...(output as RemovedWorktree) };
    await keep({ type: 'left', callId: call.id, left }, changeSet, { path, of });
    await hooks?.removeWorktree(path, call.signal);
    await hooks?.changeCwd(path, from, call.signal);
    return left;
  }

  /**
   * Leaves a work tree that the host's hook has created. Only the host removes it, because its
   * content isn't known here.
   */
  async function leaveHooks(
    told: Omit<LeftWorktree, 'isRemoved'>,
    discard: boolean,
  ): Promise<LeftWorktree> {
    const { path, from } = told;
    if (!discard) {
      throw new SdkError(
        'bad-usage',
        `${path} was made by the host, which can't say whether anything in it would be lost. Leave with action "keep", or ask the user and then give discard_changes: true.`,
      );
    }
    await hooks?.removeWorktree(path, call.signal);
    const left: LeftWorktree = { ...told, isRemoved: true };
    await journal.recordSafely(toRecord({ type: 'left', callId: call.id, left }));
    await hooks?.changeCwd(path, from, call.signal);
    return left;
  }

  /**
   * Asks a hook to create the work tree, and gives its path. @throws SdkError if the path can't be
   * a working directory, or a hook refuses.
   */
  async function askHook(name: string): Promise<string | undefined> {
    const heard = await hooks?.createWorktree(name, call.signal);
    if (!heard) return undefined;
    if (heard.blocked !== undefined) {
      const why = heard.blocked === '' ? '' : `: ${heard.blocked}`;
      throw new SdkError('permission-denied', `A WorktreeCreate hook refused the work tree${why}`);
    }
    const { path } = heard;
    if (path === undefined) return undefined;
    const isReachable = createPathJudge(call.access)('read', path) === 'allow';
    const isDirectory = await root.fs.stat(path).then(
      (stats) => stats.isDirectory(),
      () => false,
    );
    // Security: the path limits what calls may reach, and a link would lead outside it.
    if (isReachable && isDirectory && (await root.fs.realpath(path)) === path) return path;
    throw new SdkError(
      'bad-usage',
      `A WorktreeCreate hook gave ${path}, which is no directory of the workspace that the session reaches. Do without a work tree, and tell the user.`,
      { data: { path } },
    );
  }

  /** Runs one git step on a draft, in a tool worker. `cwd`: where git looks for the repository. */
  async function runGit(step: string, wanted: WantedWorktree | DoomedWorktree, cwd: string) {
    const { executor, workspace } = session.host;
    throwIfAborted(call.signal);
    const work = executor.start(
      {
        callId: call.id,
        toolName: gitWorkName,
        input: { command: step, args: [wanted] },
        sessionId: session.executorId,
        address: { root: root.id, minSeq: workspace.seq() },
        // The files of a work tree are those of a commit. Rules on reading exclude files. Rules on
        // writing apply only to later changes.
        access: { ...call.access, cwd, rules: call.access.rules.filter(isOnReading) },
        cwd,
        limits: { ...session.limits, timeoutMs },
        knownVersions: [],
        isStateless: true,
      },
      () => undefined,
      {},
    );
    const stop = () => work.interrupt('The turn was stopped.');
    call.signal.addEventListener('abort', stop, { once: true });
    const reply: WorkReply = await work.reply;
    call.signal.removeEventListener('abort', stop);
    if (reply.type === 'failed') throw toToldError(fromSerializedError(reply.error), cwd);
    if (reply.type === 'lost') throw new SdkError('worker-lost', reply.message);
    return reply;
  }

  /** Commits the files and records the new working directory, in one record of the log. */
  async function keep(
    state: WorktreeState,
    changeSet: ChangeSet | null,
    tree: Pick<StepWorktree, 'path' | 'of'>,
  ): Promise<void> {
    if (call.signal.aborted) throw createAbortError(call.signal.reason);
    if (!changeSet) return journal.recordSafely(toRecord(state));
    checkChanges(changeSet, tree, call.access);
    const author = { kind: 'agent', callId: call.id, sessionId: session.id } as const;
    await journal.recordWith([toRecord(state)], (append) =>
      root.commit(changeSet, { author, ...(append && { append }) }),
    );
  }

  return { enter, leave };
}

/** The name or id of another running agent of the session that works in that directory. */
function findAgentIn({ agents, agent: own }: Session, path: string): string | undefined {
  const { fold } = agents.sessionJournal;
  for (const { record, parent, fold: its, isGone } of fold.agents.values()) {
    const isRunning = fold.foldOf(parent)?.tasks.get(record.id)?.status === 'running';
    if (isGone || !isRunning || record.id === own?.id) continue;
    const state = readState(its.states.get(worktreeState));
    const cwd = state ? toWorktreeCwd(state, path) : record.cwd;
    if (cwd !== undefined && isInside(path, cwd)) return record.name ?? record.id;
  }
  return undefined;
}

function toRecord(value: WorktreeState) {
  return {
    type: 'state',
    key: worktreeState,
    value,
    ...(value.type === 'in' && { reminder: remind(value.worktree) }),
  } as const;
}

/** The reminder for the model, after a compaction. */
function remind({ path, branch, from }: EnteredWorktree): string {
  const on = branch === undefined ? '' : `, on branch ${branch}`;
  return `# The work tree that you are in\n\nYou work in ${path}${on}. ExitWorktree takes you back to ${from}.`;
}

function isOnReading({ operation }: PathAccess['rules'][number]): boolean {
  return operation === 'read';
}

function toToldError(error: Error, cwd: string): Error {
  const isNoRepository = hasCode(error, 'ENOENT') && error.data?.['path'] === cwd;
  if (!isNoRepository) return error;
  return new SdkError(
    'ENOENT',
    `${cwd} is in no git repository, so no work tree can be made of it. Do the work here, or have the user make a repository: git.init() in a cell, and a first commit.`,
    { cause: error },
  );
}

// Security: the worker's report isn't trusted. The work tree must be at the expected place.
function checkPlace({ path, of }: StepWorktree, expected: string): void {
  if (path === expected && of.startsWith('/')) return;
  throw new SdkError('permission-denied', `The work tree was made elsewhere than at ${expected}.`);
}

// Security: the worker may have written more than allowed. Only the work tree and git's own files
// of it are kept.
function checkChanges(
  { changes }: ChangeSet,
  { path, of }: Pick<StepWorktree, 'path' | 'of'>,
  access: PathAccess,
): void {
  const judge = createPathJudge({ ...access, rules: [] });
  const places = [path, joinPath(of, worktreesFolder), joinPath(of, '.git')];
  const forged = changes.find(
    (change) =>
      !places.some((one) => isInside(one, change.path)) ||
      judge('write', change.path) !== 'allow' ||
      (change.type === 'remove' && change.recursive === true),
  );
  if (!forged) return;
  throw new SdkError('permission-denied', `A work tree's changes would touch ${forged.path}.`);
}
