// Judges whether an isolated sub-agent's changes may be merged: stage 4 for a branch. Rules and modes judge each
// path, and a person is asked once, on behalf of the agent, with the actual diff. Called by isolation.ts.
import type { PathAccess, PathAccessRule } from '../../core/access/path-access.ts';
import { clipText } from '../../core/text/clip-text.ts';
import type { Change, ChangeSet, FileChange } from '../../core/change-set.ts';
import type { ToolPermissionContext } from '../../core/permissions/permission.ts';
import { authorizeChanges } from '../calls/authorize-changes.ts';
import type { ChangeDecision, ChangingCall } from '../calls/authorize-changes.ts';
import type { FoldedAgent } from '../journal/folded.ts';
import { listReach, toRulesFrom } from '../permissions/compile-path-access.ts';
import type { Questions } from '../permissions/questions.ts';
import { getRuleOperation } from '../permissions/rules.ts';
import type { Session } from '../session/session.ts';
import type { PathState } from '../../workspace/workspace.ts';

// 100: a model has written the description, and a person reads it as the title of a question.
const maxTitleChars = 100;

/** A request to merge an agent's branch. */
export interface MergeRequest {
  readonly agent: Session;
  readonly folded: FoldedAgent;
  /** The session whose root gets the changes. */
  readonly parent: Session;
  /** The branch's id. */
  readonly branch: string;
  /** All changes that the merge would make there. */
  readonly changes: readonly FileChange[];
}

/**
 * `isStale` says whether the merge would now change something else. Then the question isn't asked when its turn
 * comes. Rejects only as the workspace does.
 */
export async function judgeMerge(
  request: MergeRequest,
  isStale: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<ChangeDecision | { readonly type: 'stale' }> {
  const { agent, folded, parent, changes } = request;
  const { record } = folded;
  const changeSet = await toChangeSet(request);
  const { losses } = await parent.ownFiles.weigh(changeSet);
  const current = () => toMergePermissions(agent, parent);
  const call: ChangingCall = {
    toolUse: { id: record.callId },
    tool: { name: 'Agent', toAutoClassifierInput: (input) => input },
    input: {
      description: record.description,
      prompt: readTask(folded),
      subagent_type: record.agentType,
      isolation: 'worktree',
    },
    traits: { isReadOnly: false, isDestructive: losses.size > 0 },
    access: toMergeAccess(agent, current()),
    mergeOf: clipText(record.description, maxTitleChars),
  };
  let stale = false;
  const ports = {
    permissions: { ...agent.permissions, current },
    questions: {
      ...agent.questions,
      // A person must see the merge's changes as they are after the earlier questions.
      inTurn: (callId, work) =>
        agent.questions.inTurn(callId, async (hasWaited) => {
          stale = hasWaited && (await isStale());
          return work(hasWaited);
        }),
      put: async (question, asking) =>
        stale ? { type: 'withdrawn' } : agent.questions.put(question, asking),
    } satisfies Questions,
    autoMode: agent.autoMode,
    place: agent.place,
    sessionDirectories: agent.sessionDirectories,
    hooks: agent.hooks,
  };
  const proposed = { changeSet, fileChanges: changes, losses, isOnlyForLosses: false, deeds: [] };
  const decision = await authorizeChanges(call, proposed, ports, signal);
  return stale && decision.type === 'withdrawn' && !signal.aborted ? { type: 'stale' } : decision;
}

/**
 * The permissions by which changes are judged: on the branch, no edit was asked about. Only rules on files count,
 * because a rule that allows the tool Agent means only that agents may be started.
 */
function toMergePermissions(agent: Session, parent: Session): ToolPermissionContext {
  const { isDraft: _, ...permissions } = agent.permissions.current();
  const { isDraft } = parent.permissions.current();
  return {
    ...permissions,
    rules: permissions.rules.filter((rule) => getRuleOperation(rule) !== undefined),
    ...(isDraft && { isDraft }),
  };
}

/** The paths that the agent can reach. Rules on writing are judged path by path. */
export function toMergeAccess(
  { cwd, copies, sessionDirectories }: Pick<Session, 'cwd' | 'copies' | 'sessionDirectories'>,
  permissions: ToolPermissionContext,
): PathAccess {
  const { rules } = permissions;
  const unreadable = rules.flatMap((rule): PathAccessRule[] => {
    const isHidden = rule.behavior === 'deny' && getRuleOperation(rule) === 'read';
    if (!isHidden) return [];
    return [{ effect: 'deny', operation: 'read', glob: rule.ruleContent ?? '/**' }];
  });
  return {
    cwd,
    ...toRulesFrom(cwd, { cwd, copies: copies.list() }),
    roots: [cwd, ...listReach(permissions)],
    readOnlyRoots: sessionDirectories,
    rules: unreadable,
    write: 'allow',
  };
}

/**
 * The change set to judge and weigh: kinds and contents from the branch, versions from the other
 * root.
 */
async function toChangeSet({ agent, parent, branch, changes }: MergeRequest): Promise<ChangeSet> {
  const { workspace } = agent.host;
  const paths = changes.map(({ path }) => path);
  const [fresh, old] = await Promise.all([
    workspace.at(branch).lookUp(paths),
    parent.root.lookUp(paths),
  ]);
  return {
    baseSeq: workspace.seq(),
    changes: paths.map((path, at) => toChange(path, fresh[at], old[at]?.version ?? 0)),
  };
}

function toChange(path: string, state: PathState | null | undefined, baseVersion: number): Change {
  const written = { path, baseVersion, mtimeMs: 0 };
  switch (state?.kind) {
    case 'file': {
      const { size, contentId } = state;
      return {
        type: 'write',
        ...written,
        mode: 0,
        content: size === 0 ? new Uint8Array() : { contentId },
      };
    }
    case 'directory':
      return { type: 'mkdir', ...written, mode: 0 };
    case 'symlink':
      return { type: 'symlink', ...written, target: state.target };
    default:
      return { type: 'remove', path, baseVersion };
  }
}

function readTask({ fold }: FoldedAgent): string {
  const first = fold.entries.find((entry) => entry.type === 'prompt');
  const content = first?.type === 'prompt' ? first.message.content : '';
  return typeof content === 'string' ? content : '';
}
