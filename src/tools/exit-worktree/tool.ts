// The definition of the tool ExitWorktree. Git removes the work tree in a tool worker, and the same
// record changes the session's working directory.
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { CallContext, ToolUseContext } from '../../core/tool/context.ts';
import type { LeftWorktree } from '../../core/session/session-worktrees.ts';
import { toValidation } from '../../core/tool/validation.ts';
import { exitWorktreeDescription, exitWorktreePrompt, exitWorktreeToolName } from './prompt.ts';
import {
  exitWorktreeInputSchema,
  exitWorktreeOutputSchema,
  type ExitWorktreeInput,
  type ExitWorktreeOutput,
} from './schema.ts';

export const exitWorktreeTool = buildTool({
  name: exitWorktreeToolName,
  searchHint: 'leave the worktree, keep or remove it',
  shouldDefer: true,
  get inputSchema() {
    return exitWorktreeInputSchema();
  },
  get outputSchema() {
    return exitWorktreeOutputSchema();
  },

  description: (input) => Promise.resolve(input ? ask(input) : exitWorktreeDescription),
  prompt: () => Promise.resolve(exitWorktreePrompt),

  validateInput: (input, context) => toValidation(findMistake(input, context)),
  // Leaving changes no file. A removal asks, unless a rule allows it.
  checkPermissions: ({ action }) =>
    Promise.resolve(action === 'keep' ? { behavior: 'allow' } : { behavior: 'passthrough' }),
  changesOnlySession: ({ action }) => action === 'keep',
  isReadOnly: () => false,
  isDestructive: ({ action, discard_changes = false }) => action === 'remove' && discard_changes,
  getTimeoutMs: () => 600_000,

  call: (input, context) => leave(input, context),
  // The session's journal says whether the work tree was left.
  resumeCall: (input, context) => leave(input, context),

  userFacingName: () => 'Leave work tree',
  userFacingNameBackgroundColor: () => 'accent-soft',
  getToolUseSummary: ({ action }) => action ?? null,
  getActivityDescription: ({ action }) =>
    action === 'remove' ? 'Removing the work tree' : 'Leaving the work tree',
  genToolPermission: (input) => ({ title: 'Remove the work tree?', content: ask(input) }),
  genToolResultMessage: ({ worktreePath, message }) => ({
    title: 'Work tree',
    summary: worktreePath,
    content: message,
  }),
  extractSearchText: ({ worktreePath, worktreeBranch = '' }) => `${worktreePath} ${worktreeBranch}`,
  toAutoClassifierInput: ({ action, discard_changes = false }) =>
    `${action} the git work tree${discard_changes ? ', giving up what is not committed' : ''}`,

  mapToolResultToToolResultBlockParam: ({ message }, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: message,
  }),
} satisfies ToolDef<ReturnType<typeof exitWorktreeInputSchema>, ExitWorktreeOutput>);

async function leave(
  { action, discard_changes: discard = false }: ExitWorktreeInput,
  { worktrees }: Pick<CallContext, 'worktrees'>,
): Promise<{ data: ExitWorktreeOutput }> {
  const left = await worktrees.leave({ remove: action === 'remove', discard });
  const { path, branch, from, files, commits } = left;
  return {
    data: {
      action,
      originalCwd: from,
      worktreePath: path,
      ...(branch !== undefined && { worktreeBranch: branch }),
      ...(files !== undefined && { discardedFiles: files }),
      ...(commits !== undefined && { discardedCommits: commits }),
      message: `${describe(left)} Your working directory is ${from} again, from your next message on.`,
    },
  };
}

function describe({ path, branch, isRemoved, files = 0, commits = 0 }: LeftWorktree): string {
  const and = branch === undefined ? '' : ` and the branch ${branch}`;
  if (!isRemoved) return `Kept ${path}${and}.`;
  const lost = [
    ...(files > 0 ? [`${files} changed ${files === 1 ? 'file' : 'files'}`] : []),
    ...(commits > 0 ? [`${commits} ${commits === 1 ? 'commit' : 'commits'}`] : []),
  ];
  const what = lost.length > 0 ? ` What was given up: ${lost.join(' and ')}.` : '';
  return `Removed ${path}${and}.${what}`;
}

/** The question, as a sentence for a person. */
function ask({ action, discard_changes = false }: Partial<ExitWorktreeInput>): string {
  if (action !== 'remove') return 'The agent goes back to where it was. The work tree stays.';
  return discard_changes
    ? 'The work tree goes with its branch, and so does what is in it and nowhere else.'
    : 'The work tree goes with its branch. Nothing is lost: else it is refused.';
}

function findMistake(
  { action, discard_changes }: ExitWorktreeInput,
  { worktree, toolUseID = '', toolDecisions }: ToolUseContext,
): string | undefined {
  if (action === 'keep' && discard_changes) {
    return 'discard_changes belongs to remove: keep loses nothing. Leave it out.';
  }
  // A resumed call may have left the work tree itself.
  const wasAllowed = toolDecisions.get(toolUseID) !== undefined;
  if (worktree || wasAllowed) return undefined;
  return 'You are in no work tree: EnterWorktree takes you into one. There is nothing to leave.';
}
