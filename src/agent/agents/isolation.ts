// A sub-agent on a branch of the workspace (`isolation: 'worktree'`). The branch begins with the
// agent. At the agent's end its changes are merged into the parent root, in one record of the log.
// Called by create-session-agents.ts. Decisions are in the agent's own entries, so a resumed
// session continues from there.
import { isGitOwnPath } from '../../core/access/git-store.ts';
import { createPathJudge } from '../../core/access/path-access.ts';
import { createDeferred } from '../../core/async/deferred.ts';
import type { FileChange } from '../../core/change-set.ts';
import { clipText } from '../../core/text/clip-text.ts';
import { SdkError, hasCode } from '../../core/errors.ts';
import type { AgentJournalRecord, AgentRecord } from '../../core/session/journal.ts';
import { isInside } from '../../core/path.ts';
import type { PermissionMode } from '../../core/permissions/permission.ts';
import { isSameData } from '../../core/values/same-data.ts';
import { listSome } from '../calls/authorize-changes.ts';
import type { ChangeDecision } from '../calls/authorize-changes.ts';
import type { FoldedAgent } from '../journal/folded.ts';
import type { SessionJournal } from '../journal/session-journal.ts';
import { dropOldCheckpoints } from '../session/files/checkpoints.ts';
import type { Session } from '../session/session.ts';
import { readBranch, readBranchRecord, toBranchRecord } from './agent-branch.ts';
import type { AgentBranch, BranchReport } from './agent-branch.ts';
import { toReportStatus } from './agent-report.ts';
import { holdRepositories } from './branch-repositories.ts';
import type { HeldRepositories } from './branch-repositories.ts';
import { judgeMerge, toMergeAccess } from './judge-merge.ts';

/** An agent at the end of its turns, and the parent whose root its changes go to. */
export interface EndedAgent {
  readonly agent: Session;
  readonly folded: FoldedAgent;
  readonly parent: Session;
}

/** One session's isolated agents. All methods reject as the workspace and the journal do. */
export interface Isolation {
  /**
   * Writes `records`, and in the same record of the log makes the branch that `record` names. The
   * branch begins with the present state of the caller's root. If it can't be made, nothing is
   * recorded.
   */
  begin(
    parent: Session,
    record: AgentRecord,
    records: readonly AgentJournalRecord[],
  ): Promise<void>;
  /**
   * Lets an ended agent with new work continue, on its last branch or a new one. An agent whose branch belongs to
   * another session also gets a new one.
   */
  reopen(folded: FoldedAgent, parent: Session): Promise<void>;
  /**
   * Merges an agent's changes if that is allowed, or records in its entries why not. True: the agent got another
   * prompt because of a conflict. Does nothing for an agent without a branch, or whose branch has ended.
   */
  settle(ended: EndedAgent, signal: AbortSignal): Promise<boolean>;
  /** Drops branches that were merged already, and that a kill has left behind. */
  dropLeft(): Promise<void>;
}

const author = { kind: 'agent' } as const;
const withdrawn = { type: 'withdrawn' } as const;

/** The id of an agent's first branch. */
export function toFirstBranch(sessionId: string, agentId: string): string {
  return toBranchId(sessionId, agentId, 1);
}

/** The text for an isolated agent before its task, by the mode in which it begins. */
export function toBranchNote(mode: PermissionMode): string {
  const end =
    mode === 'plan'
      ? 'The user plans: what you change there is shown to them and not merged.'
      : 'What you change there is merged at your end; nobody sees it before.';
  return `You work on a branch of the workspace, which is yours alone. ${end}`;
}

/** `journal`: the main agent's. */
export function createIsolation(session: () => Session, journal: SessionJournal): Isolation {
  const { fold } = journal;
  const rootsOf = () => session().host.workspace.roots;
  const inTurn = createQueue();
  // Security: entries may come from another session or an imported file. A branch that they name must not count as a
  // branch on which nobody is asked.
  const isOwn = (id: string) => id.startsWith(toPrefix(session().id));
  const listIds = async () => (await rootsOf().list({ kind: 'branch' })).map(({ id }) => id);

  async function makeBranch(
    parent: Session,
    { id: agentId, description }: AgentRecord,
    id: string,
    records: readonly AgentJournalRecord[],
  ): Promise<void> {
    const roots = rootsOf();
    await dropOldCheckpoints(roots);
    const label = `session/${session().id}: ${clipText(description, maxLabelChars)} (${agentId})`;
    const from = parent.root.id;
    await journal.recordWith(records, (append) =>
      roots.branch(label, { author, id, from, ...(append && { append }) }),
    );
  }

  /** The id of a new branch, which no other branch of the agent has had. */
  function nextId({ record, fold: own }: FoldedAgent): string {
    const known = own.entries.flatMap((entry) => {
      const branch = readBranchRecord(entry);
      return branch ? [branch.root, branch.next ?? ''] : [];
    });
    const counts = known.map((id) => Number(/-(\d+)$/u.exec(id)?.[1] ?? 1));
    return toBranchId(session().id, record.id, Math.max(1, ...counts) + 1);
  }

  /** `drop`: a branch that is dropped in the same record. */
  async function record(
    { record: { id } }: FoldedAgent,
    branch: AgentBranch,
    drop: string | undefined,
    ...more: readonly AgentJournalRecord[]
  ): Promise<void> {
    const records = [toBranchRecord(id, branch), ...more];
    if (drop === undefined) return journal.recordSafely(...records);
    await journal.recordWith(records, (append) =>
      rootsOf().drop(drop, { author, ...(append && { append }) }),
    );
  }

  /** Ends without a merge: the branch stays, and the report says so. */
  function leave(
    { agent, folded }: EndedAgent,
    { root, lost }: AgentBranch,
    why: string,
    drop?: string,
  ): Promise<void> {
    const first = lost === undefined ? why : `${why}\n${lost}`;
    const mergeNote = `${first}\nWhat it has changed stays on the branch ${root}, which the user can take or drop.`;
    const report = { worktreePath: agent.cwd, worktreeBranch: root, mergeNote };
    return record(folded, { root, report }, drop);
  }

  /** True if the branch's difference to its base is also what a merge would change now. */
  async function isUpToDate(
    { parent }: EndedAgent,
    root: string,
    changes: readonly FileChange[],
  ): Promise<boolean> {
    const own = new Set(changes.map(({ path }) => path));
    const against = await rootsOf().diff(root, { against: parent.root.id });
    return isSameData(
      against.filter(({ path }) => own.has(path)),
      changes,
    );
  }

  /**
   * Applies the agent's changes to a new branch of the target root's present state. True: some of them conflict, and
   * the agent gets another prompt.
   */
  async function renew(ended: EndedAgent, branch: AgentBranch): Promise<boolean> {
    const { folded, parent } = ended;
    const { root, next = nextId(folded), hasRetried, lost = '' } = branch;
    const known = { ...(hasRetried && { hasRetried }), ...(lost && { lost }) };
    if (branch.next === undefined) {
      const records = [toBranchRecord(folded.record.id, { root, next, ...known })];
      await makeBranch(parent, folded.record, next, records);
    }
    const conflicts = await mergeWhole(root, next);
    if (conflicts.length === 0) {
      await record(folded, { root: next, ...known }, root);
      return false;
    }
    // Conflicts within a repository need no turn: the others' refs and index stay, and the files
    // are merged.
    if (hasRetried && !conflicts.every((path) => isGitOwnPath(path))) {
      const patch = await writePatch(ended, root, conflicts);
      const where = listSome(conflicts);
      const why = `Nothing was merged: ${where} had been changed by others again. Its changes of these files:\n${patch}`;
      await leave(ended, branch, why, next);
      return false;
    }
    const held = await mergeClean(root, next, conflicts);
    const left = (await rootsOf().diff(root)).flatMap(({ path }) => (held.holds(path) ? [] : path));
    if (left.length === 0) {
      const both = [lost, await held.describe('Its')].filter((text) => text !== '').join(' ');
      await record(folded, { root: next, ...known, ...(both && { lost: both }) }, root);
      return false;
    }
    const patch = await writePatch(ended, root, left);
    const about = [toRetryPrompt(left, patch), lost, await held.describe('Your')];
    const text = about.filter((part) => part !== '').join('\n');
    await record(folded, { root: next, hasRetried: true }, root, {
      type: 'prompt',
      uuid: ended.agent.ids.of('conflict', next),
      message: { role: 'user', content: text },
      origin: { kind: 'agent' },
      agent: folded.record.id,
    });
    return true;
  }

  /** The paths in conflict. None: the branch is merged. */
  async function mergeWhole(root: string, into: string): Promise<readonly string[]> {
    try {
      await rootsOf().merge(root, { author, into });
      return [];
    } catch (error) {
      return readConflicts(error);
    }
  }

  /**
   * Merges all paths that aren't in conflict. Merged paths aren't in the branch's difference any
   * more.
   */
  async function mergeClean(
    root: string,
    into: string,
    found: readonly string[],
  ): Promise<HeldRepositories> {
    const { workspace } = session().host;
    const { roots } = workspace;
    const files = { from: workspace.at(root).fs, onto: workspace.at(into).fs };
    const conflicts = new Set(found);
    for (;;) {
      const held = await holdRepositories(conflicts, files);
      const left = (await roots.diff(root)).map(({ path }) => path);
      // A path includes everything below it.
      const isLeft = (path: string) => [...conflicts].some((one) => isInside(path, one));
      const paths = left.filter((path) => !isLeft(path) && !held.holds(path));
      if (paths.length === 0) return held;
      try {
        await roots.merge(root, { author, into, paths });
        if ((await roots.diff(root)).length === left.length) return held;
      } catch (error) {
        const known = conflicts.size;
        for (const path of readConflicts(error)) conflicts.add(path);
        // A path in conflict may be above the paths that can't be merged because of it.
        if (conflicts.size === known) for (const path of paths) conflicts.add(path);
      }
    }
  }

  async function writePatch(
    { agent }: EndedAgent,
    root: string,
    paths: readonly string[],
  ): Promise<string> {
    const near = (path: string) => paths.some((one) => isInside(one, path) || isInside(path, one));
    const changes = (await rootsOf().diff(root)).filter(({ path }) => near(path));
    // Security: the patch may have lines of a file that rules keep from the agent.
    const judge = createPathJudge(toMergeAccess(agent, agent.permissions.current()));
    return toPatchText(changes, (path) => judge('read', path) === 'allow');
  }

  /**
   * True: the agent has another turn. False: the branch has ended. Undefined: call again. Otherwise the present
   * changes to merge.
   */
  async function prepare(
    ended: EndedAgent,
    branch: AgentBranch,
  ): Promise<readonly FileChange[] | boolean | undefined> {
    const { agent, folded } = ended;
    const { root } = branch;
    const roots = rootsOf();
    if (!(await listIds()).includes(root)) {
      const mergeNote = `Its branch ${root} was dropped by somebody, and with it what it had changed there.`;
      await record(folded, { root, report: { mergeNote } }, undefined);
      return false;
    }
    // This comes first: changes that have gone to the next branch by now count as merged.
    if (branch.next !== undefined) return (await renew(ended, branch)) || undefined;
    const changes = await roots.diff(root);
    if (changes.length === 0) {
      await record(folded, { root, report: { mergeNote: 'It changed no file.' } }, root);
      return false;
    }
    if (toReportStatus(folded) !== 'completed') {
      await leave(ended, branch, 'It did not finish, so nothing was merged.');
      return false;
    }
    if (agent.permissions.current().mode === 'plan') {
      const patch = await writePatch(ended, root, ['/']);
      const why = `Nothing is merged in plan mode. This is what it would change:\n${patch}`;
      await leave(ended, branch, why);
      return false;
    }
    if (!(await isUpToDate(ended, root, changes))) {
      return (await renew(ended, branch)) || undefined;
    }
    return changes;
  }

  /**
   * Merges the changes, if the decision allows it. Gives the same values as `prepare`, but no
   * changes.
   */
  async function finish(
    ended: EndedAgent,
    branch: AgentBranch,
    changes: readonly FileChange[],
    decision: ChangeDecision,
  ): Promise<boolean | undefined> {
    const { folded, parent } = ended;
    const { root } = branch;
    const roots = rootsOf();
    if (decision.type === 'withdrawn') {
      await leave(ended, branch, 'It was stopped before its changes were merged.');
      return false;
    }
    if (decision.type === 'refused') {
      const { reason, message } = decision.denial;
      const why = reason.type === 'user' ? `The user refused the merge: ${message}` : message;
      await leave(ended, branch, why);
      return false;
    }
    // Security: nobody has seen changes that came onto the branch during the question.
    if (!isSameData(await roots.diff(root), changes)) return undefined;
    const paths = changes.map(({ path }) => path);
    const report: BranchReport = { mergeNote: toMergeNote(paths, branch) };
    try {
      await journal.recordWith([toBranchRecord(folded.record.id, { root, report })], (append) =>
        roots.merge(root, {
          author: { ...author, callId: folded.record.callId, sessionId: parent.id },
          into: parent.root.id,
          ...(append && { append }),
        }),
      );
    } catch (error) {
      readConflicts(error);
      // The parent root has changed during the question, or in bytes that a difference doesn't show. Another question
      // would end in a conflict again.
      return (await renew(ended, branch)) || undefined;
    }
    // If this fails, `dropLeft` drops the branch later. The merge is kept.
    await roots.drop(root, { author }).catch(() => undefined);
    return false;
  }

  return {
    begin: (parent, agent, records) => makeBranch(parent, agent, agent.root ?? '', records),
    async reopen(folded, parent) {
      const branch = readBranch(folded);
      const { waiting, news } = folded.fold;
      // Otherwise only the agent's end isn't recorded yet.
      const goesOn = waiting.length > 0 || [...news.values()].some(({ isUrgent }) => isUrgent);
      if (!branch) return;
      const { root: last, report } = branch;
      if (isOwn(last) && !(report && goesOn)) return;
      const isLeft = report?.worktreeBranch === last;
      if (isOwn(last) && isLeft && (await listIds()).includes(last)) {
        await record(folded, { root: last }, undefined);
        return;
      }
      const root = nextId(folded);
      const records = [toBranchRecord(folded.record.id, { root })];
      await makeBranch(parent, folded.record, root, records);
    },
    async settle(ended, signal) {
      for (;;) {
        const branch = readBranch(ended.folded);
        if (!branch || branch.report) return false;
        if (![branch.root, branch.next ?? branch.root].every(isOwn)) throw notOwn(branch);
        // One branch at a time, except for questions: others that need none are merged while one
        // waits.
        const changes = await inTurn(signal, () => prepare(ended, branch));
        if (typeof changes === 'boolean') return changes;
        if (!changes) continue;
        const request = { ...ended, branch: branch.root, changes };
        const isStale = async () => !(await isUpToDate(ended, branch.root, changes));
        const decision = signal.aborted ? withdrawn : await judgeMerge(request, isStale, signal);
        if (decision.type === 'stale') continue;
        const result = await inTurn(signal, () => finish(ended, branch, changes, decision));
        if (result !== undefined) return result;
      }
    },
    async dropLeft() {
      const branches = [...fold.agents.values()].flatMap((agent) => readBranch(agent) ?? []);
      if (branches.length === 0) return;
      const needed = new Set(
        branches.flatMap(({ root, next, report }) =>
          report ? [report.worktreeBranch] : [root, next],
        ),
      );
      const prefix = toPrefix(session().id);
      const left = (await listIds()).filter((id) => id.startsWith(prefix) && !needed.has(id));
      for (const id of left) await rootsOf().drop(id, { author });
    },
  };
}

/** Runs work one after the other. Work whose signal aborts stops waiting for its turn. */
function createQueue(): <Result>(
  signal: AbortSignal,
  work: () => Promise<Result>,
) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return async (signal, work) => {
    const before = last;
    const { promise: done, resolve: leave } = createDeferred();
    last = Promise.all([before, done]);
    const stopped = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([before, stopped]);
    try {
      return await work();
    } finally {
      leave();
    }
  };
}

// 100: enough for a person to recognise it in a list.
const maxLabelChars = 100;
// 20 000: about 5 000 tokens.
const maxPatchChars = 20_000;

function toPrefix(sessionId: string): string {
  return `agent-${sessionId}-`;
}

function toBranchId(sessionId: string, agentId: string, count: number): string {
  return `${toPrefix(sessionId)}${agentId}-${count}`;
}

function notOwn({ root, next = root }: AgentBranch): SdkError {
  const message = `Nothing was merged: ${root} and ${next} aren't both branches of this session's agents.`;
  return new SdkError('bad-usage', message, { data: { root, next } });
}

/**
 * Gives the paths of a conflict.
 * @throws the error, if it isn't about a conflict.
 */
function readConflicts(error: unknown): readonly string[] {
  if (!hasCode(error, 'ECONFLICT')) throw error;
  const { paths } = error.data as { readonly paths?: readonly string[] };
  return paths ?? [];
}

function toRetryPrompt(paths: readonly string[], patch: string): string {
  return `Nothing of your work is merged yet: ${listSome(paths)} had been changed by others, too, in the same places. You are now on a new branch, which has these files as the others have left them, and all else as you have left it. Read these files again, make your changes again where they are still wanted, and keep what the others did. Then give your whole report again. Your changes of these files were:\n${patch}`;
}

/** Paths that git keeps for itself aren't named, unless there is nothing else. */
function toMergeNote(paths: readonly string[], { lost }: AgentBranch): string {
  const files = paths.filter((path) => !isGitOwnPath(path));
  const merged = `Its changes were merged: ${listSome(files.length > 0 ? files : paths)}.`;
  return lost === undefined ? merged : `${merged}\n${lost}`;
}

function toPatchText(changes: readonly FileChange[], mayShow: (path: string) => boolean): string {
  const parts = changes.map(({ path, type, structuredPatch }) => {
    if (!mayShow(path)) return `${type} ${path} (not shown)`;
    const hunks = structuredPatch.map(
      ({ oldStart, oldLines, newStart, newLines, lines }) =>
        `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@\n${lines.join('\n')}`,
    );
    return [
      `--- ${type === 'create' ? '/dev/null' : `a${path}`}`,
      `+++ ${type === 'delete' ? '/dev/null' : `b${path}`}`,
      ...hunks,
    ].join('\n');
  });
  return `\`\`\`diff\n${clipText(parts.join('\n'), maxPatchChars)}\n\`\`\``;
}
