// Repeats stage 4 for tools whose changes are judged when they are committed. The call has run
// over a draft; each changed path is judged before the commit. Called by settle.ts.
import type { Change, ChangeSet, FileChange } from '../../core/change-set.ts';
import { isGitOwnPath } from '../../core/access/git-store.ts';
import type { GitDeed } from '../../core/git/git-deed.ts';
import { dirname, relativePath } from '../../core/path.ts';
import type {
  CanUseToolOptions,
  DecisionReason,
  ToolPermissionContext,
} from '../../core/permissions/permission.ts';
import { isForeign } from '../../core/permissions/principal.ts';
import type { Principal } from '../../core/permissions/principal.ts';
import type { Denial } from '../../core/session/journal.ts';
import type { AuthorizePorts } from './authorize.ts';
import { askAboutBegun, decideOrAsk } from './decide-or-ask.ts';
import type { Heard, Judgement, Open } from './decide-or-ask.ts';
import { describeChangeSet, maxChangesShown, writeTitle } from './describe-change-set.ts';
import { explainReason } from '../../trace/explain-reason.ts';
import type { ClassifiedCall } from '../permissions/auto-mode.ts';
import { createChangeJudge } from '../permissions/judge-change.ts';
import type { ChangeVerdict, JudgedCall } from '../permissions/judge-change.ts';
import { isNewRepositoryFile } from '../permissions/new-repository-files.ts';
import { narrowPermissions, toPrincipal } from '../permissions/principal.ts';
import { findAllowedDeeds, findDeedRule } from '../permissions/git-rules.ts';
import { acceptEdits } from '../permissions/questions.ts';
import type { ToolUse } from '../messages/collect.ts';
import type { CallingTools } from './validate.ts';

/** The decision about all changes together. */
export type ChangeDecision =
  | { readonly type: 'kept'; readonly reason: DecisionReason }
  | { readonly type: 'refused'; readonly denial: Denial }
  /** The turn was stopped while the question was open. */
  | { readonly type: 'withdrawn' };

/** The author of the changes: an allowed call, or a branch to be merged. */
export interface ChangingCall extends JudgedCall, ClassifiedCall, CallingTools {
  readonly toolUse: Pick<ToolUse, 'id'>;
  readonly tool: JudgedCall['tool'] & ClassifiedCall['tool'];
  readonly traits: JudgedCall['traits'] & ClassifiedCall['traits'];
  /**
   * Set for the merge of a sub-agent's branch: the agent's task, in a few words. The branch is kept
   * if the changes are refused.
   */
  readonly mergeOf?: string;
}

/** What is decided about: all that a call, or a branch, has changed. */
export interface ProposedChanges {
  readonly changeSet: ChangeSet;
  /** The worker's diffs. They may be missing. */
  readonly fileChanges: readonly FileChange[];
  /** The changed paths whose earlier content existed before the session and is lost. */
  readonly losses: ReadonlySet<string>;
  /** The call's permission covers its other changes. */
  readonly isOnlyForLosses: boolean;
  /** The git commands that ran, as the worker reports them. */
  readonly deeds: readonly GitDeed[];
}

/** The parts of the session that a decision about changes needs. */
export interface ChangePorts extends AuthorizePorts {
  /** True if exactly this change was allowed earlier for a nested call. Left out: none was. */
  readonly isApproved?: (change: Change) => boolean;
  /** True if this git command was allowed before it ran. Left out: none was. */
  readonly isDeedAllowed?: (deed: GitDeed) => boolean;
}

/** The decision about one changed path. */
interface Judged {
  readonly path: string;
  readonly verdict: ChangeVerdict;
  readonly isLoss: boolean;
}

/**
 * Decides about a whole change set. One denied path denies all of it. A person is asked at most
 * once, with every path and diff. Never rejects.
 */
export async function authorizeChanges(
  call: ChangingCall,
  proposed: ProposedChanges,
  ports: ChangePorts,
  signal: AbortSignal,
): Promise<ChangeDecision> {
  const paths = proposed.changeSet.changes.map(toPath);
  return decideOrAsk<ChangingCall, OpenChanges, ChangeDecision>(
    call,
    {
      judge: () => judge(call, proposed, ports),
      classify: () => ports.autoMode.judge(call, signal, paths),
      ask: (open, undecided) => ask(open, proposed, ports, signal, undecided),
      allow: (_call, reason) => ({ type: 'kept', reason }),
      refuse: (_call, reason) => refuse(call, reason, paths),
    },
    ports,
  );
}

const approved: ChangeVerdict = { behavior: 'allow', reason: { type: 'nested-call' } };

interface OpenChanges extends Open<ChangingCall> {
  readonly why: string;
  /** True if a path loses content that existed before the session. */
  readonly isDestructive: boolean;
  /** True if all paths are git's own, and only a rule for its commands is missing. */
  readonly isAboutGit: boolean;
}

function judge(
  call: ChangingCall,
  { changeSet, losses, isOnlyForLosses, deeds }: ProposedChanges,
  ports: ChangePorts,
): Judgement<ChangingCall, OpenChanges, ChangeDecision> {
  // Security: the agent's permission mode doesn't apply to a server whose tool has the code run.
  const permissions = narrowPermissions(ports.permissions.current(), call);
  const judgePath = createChangeJudge(call, permissions);
  const denial = findDeedRule(deeds, call, permissions, 'deny');
  const no = (reason: DecisionReason, paths: readonly string[]) => ({
    type: 'refused' as const,
    end: refuse(call, reason, paths),
  });
  if (denial) return no({ type: 'rule', rule: denial }, changeSet.changes.map(toPath));
  const unasked = deeds.filter((deed) => ports.isDeedAllowed?.(deed) !== true);
  const question = isOnlyForLosses ? undefined : findDeedRule(unasked, call, permissions, 'ask');
  const allowing = findAllowing(deeds, unasked, call, permissions);
  const judged = dropParents(changeSet.changes).flatMap((change): Judged[] => {
    const { path } = change;
    const isLoss = losses.has(path);
    if (isOnlyForLosses && !isLoss) return [];
    const kind = isLoss ? 'loss' : change.type === 'remove' ? 'removal' : 'edit';
    const making = {
      isDirectory: change.type === 'mkdir',
      isHarmless: isNewRepositoryFile(change),
    };
    const verdict = judgePath(path, kind, making);
    // A deny rule applies in any case, because it may be only about cells. An allowed git command
    // covers git's own paths and no others.
    const isDeed =
      allowing !== undefined &&
      verdict.behavior === 'ask' &&
      verdict.reason === undefined &&
      isGitOwnPath(path, making.isDirectory);
    if (isDeed) {
      return [{ path, verdict: { behavior: 'allow', reason: allowing }, isLoss }];
    }
    const isAnswered = verdict.behavior === 'ask' && ports.isApproved?.(change) === true;
    return [{ path, verdict: isAnswered ? approved : verdict, isLoss }];
  });

  const denied = judged.filter(({ verdict }) => verdict.behavior === 'deny');
  if (denied[0]?.verdict.reason) {
    return no(denied[0].verdict.reason, denied.map(toPath));
  }
  const { mode } = permissions;
  const isPlan = mode === 'plan' && !permissions.isDraft;
  // Security: accepting edits doesn't include permission to discard work.
  const mayThrowAway = permissions.isDraft || mode === 'bypassPermissions' || isOnlyForLosses;
  const loss = allowing || mayThrowAway ? undefined : unasked.find((deed) => deed.isDestructive);
  const asked =
    (question && toAskedDeed({ type: 'rule', rule: question }, changeSet)) ??
    (loss && toAskedDeed({ type: 'tool', message: describeLoss(loss) }, changeSet));
  const open = judged.find(({ verdict }) => verdict.behavior === 'ask') ?? asked;
  if (isPlan || (open && mode === 'dontAsk')) {
    const paths = isPlan || !open ? judged.map(toPath) : [open.path];
    return no({ type: 'mode', mode }, paths);
  }
  if (!open) {
    const why = judged[0]?.verdict.reason ?? ({ type: 'read-only' } as const);
    return { type: 'allowed', call, end: { type: 'kept', reason: why } };
  }
  const why = open.verdict.reason
    ? explainReason(open.verdict.reason)
    : describeOpen(open.path, unasked);
  const reason = [...judged, ...(asked ? [asked] : [])].find(
    ({ verdict }) => verdict.behavior === 'ask' && verdict.reason,
  )?.verdict.reason;
  const isDestructive =
    loss !== undefined ||
    judged.some(({ verdict, isLoss }) => verdict.behavior === 'ask' && isLoss);
  const isAboutGit = judged.every(
    ({ path, verdict }) =>
      verdict.behavior !== 'ask' || (verdict.reason === undefined && isGitOwnPath(path)),
  );
  return { type: 'open', call, why, reason, isDestructive, isAboutGit };
}

/** The rules that allow all git commands; undefined if one of them isn't allowed. */
function findAllowing(
  deeds: readonly GitDeed[],
  unasked: readonly GitDeed[],
  call: ChangingCall,
  permissions: ToolPermissionContext,
): DecisionReason | undefined {
  if (deeds.length === 0) return undefined;
  if (unasked.length === 0) return { type: 'nested-call' };
  const rule = findAllowedDeeds(unasked, call, permissions);
  return rule && { type: 'rule', rule };
}

function describeOpen(path: string, [first]: readonly GitDeed[]): string {
  const isDeed = first !== undefined && isGitOwnPath(path);
  return `nothing allows ${isDeed ? `git ${first.command}` : `changing ${path}`} yet`;
}

/** The question about git commands, which is asked whatever the rules for the paths are. */
function toAskedDeed(reason: DecisionReason, { changes }: ChangeSet): Judged {
  const path = changes[0]?.path ?? '/';
  return { path, verdict: { behavior: 'ask', reason }, isLoss: false };
}

function describeLoss({ told }: GitDeed): string {
  return `git ${told} throws work away that no branch has.`;
}

async function ask(
  asked: OpenChanges,
  { changeSet, fileChanges, deeds }: ProposedChanges,
  ports: ChangePorts,
  signal: AbortSignal,
  undecided: string | undefined,
): Promise<Heard<ChangingCall, ChangeDecision>> {
  const { call } = asked;
  const changes = completeFileChanges(changeSet, fileChanges);
  const { tool, input, toolUse, access, mergeOf } = call;
  const files = changes.map(({ path }) => relativePath(access.cwd, path));
  const paths = files.length > 0 ? files : ["git's own files"];
  const principal = toPrincipal(call);
  const answer = await askAboutBegun(
    {
      toolName: tool.name,
      input,
      toolUseID: toolUse.id,
      title:
        mergeOf === undefined
          ? writeTitle(tool.name, deeds)
          : `Merge what the agent "${mergeOf}" changed?`,
      description: describeChangeSet(changeSet, changes, deeds, access.cwd),
      decisionReason: undecided ? `${asked.why} (auto mode: ${undecided})` : asked.why,
      ...offerAnswers(asked, principal, call.tool.name, asked.isAboutGit ? deeds : []),
      ...(isForeign(principal) && { principal }),
      changes: changes.slice(0, maxChangesShown),
    },
    ports,
    { hasRun: 'has run', after: dropped(call, paths) },
    signal,
  );
  return answer.type === 'allowed' ? { call, reason: answer.reason } : { end: answer };
}

/** A person decides about each loss of earlier content, so the question offers no rule. */
function offerAnswers(
  { isDestructive }: OpenChanges,
  principal: Principal,
  toolName: string,
  deeds: readonly GitDeed[],
): Pick<CanUseToolOptions, 'defaultToNo' | 'suggestions' | 'suppressAlwaysAllowRule'> {
  if (isDestructive) return { defaultToNo: true, suppressAlwaysAllowRule: true };
  // `acceptEdits` would apply to the agent, and the server's next call would ask anyway.
  if (isForeign(principal)) return { suppressAlwaysAllowRule: true };
  if (deeds.length === 0) return { suggestions: [acceptEdits] };
  const rules = [...new Set(deeds.map(({ command }) => command))].map((command) => ({
    toolName,
    ruleContent: `git:${command}`,
  }));
  return {
    suggestions: [{ type: 'addRules', rules, behavior: 'allow', destination: 'session' }],
  };
}

function refuse(
  call: ChangingCall,
  reason: DecisionReason,
  paths: readonly string[],
): ChangeDecision {
  const relative = paths.map((path) => relativePath(call.access.cwd, path));
  const what = call.mergeOf === undefined ? `What ${call.tool.name} changed` : 'The merge';
  const message = `${what} was refused: ${explainReason(reason)}. ${dropped(call, relative)}`;
  return { type: 'refused', denial: { reason, message, interrupt: false } };
}

function dropped({ mergeOf }: ChangingCall, paths: readonly string[]): string {
  const named = listSome(paths);
  return mergeOf === undefined
    ? `None of its changes were kept (${named}).`
    : `Nothing was merged (${named}).`;
}

/** 20 paths are enough for the question. A cell may have changed thousands. */
export function listSome(paths: readonly string[]): string {
  const more = paths.length > 20 ? ` and ${paths.length - 20} more` : '';
  return `${paths.slice(0, 20).join(', ')}${more}`;
}

/**
 * The worker provides the diffs. The paths come from the change set itself, so the question lists
 * everything that would be committed.
 */
function completeFileChanges(
  changeSet: ChangeSet,
  fileChanges: readonly FileChange[],
): readonly FileChange[] {
  const known = new Map(fileChanges.map((change) => [change.path, change]));
  return dropParents(changeSet.changes)
    .filter(({ path, type }) => !isGitOwnPath(path, type === 'mkdir'))
    .map((change) => known.get(change.path) ?? toFileChange(change));
}

/**
 * Drops parent directories of changed paths, which are judged themselves. A rule on a directory
 * also applies to everything below it, so none is missed.
 */
function dropParents(changes: readonly Change[]): readonly Change[] {
  const parents = new Set<string>();
  for (const { path } of changes) {
    for (let at = dirname(path); at !== '/' && !parents.has(at); at = dirname(at)) parents.add(at);
  }
  return changes.filter(({ type, path }) => type !== 'mkdir' || !parents.has(path));
}

function toFileChange(change: Change): FileChange {
  const isNew = change.baseVersion === 0;
  const type = change.type === 'remove' ? 'delete' : isNew ? 'create' : 'update';
  return { path: change.path, type, additions: 0, deletions: 0, structuredPatch: [] };
}

function toPath({ path }: { readonly path: string }): string {
  return path;
}
