// The definition of the tool EnterWorktree. Git creates the work tree in a tool worker, and the
// same record changes the session's working directory.
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { CallContext, ToolUseContext } from '../../core/tool/context.ts';
import { clipText } from '../../core/text/clip-text.ts';
import { toValidation } from '../../core/tool/validation.ts';
import { enterWorktreeDescription, enterWorktreePrompt, enterWorktreeToolName } from './prompt.ts';
import {
  enterWorktreeInputSchema,
  enterWorktreeOutputSchema,
  maxWorktreeName,
  type EnterWorktreeInput,
  type EnterWorktreeOutput,
} from './schema.ts';

export const enterWorktreeTool = buildTool({
  name: enterWorktreeToolName,
  searchHint: 'work apart in a git worktree',
  shouldDefer: true,
  get inputSchema() {
    return enterWorktreeInputSchema();
  },
  get outputSchema() {
    return enterWorktreeOutputSchema();
  },

  description: (input) => Promise.resolve(input ? ask(input) : enterWorktreeDescription),
  prompt: () => Promise.resolve(enterWorktreePrompt),

  validateInput: (input, context) => toValidation(findMistake(input, context)),
  // A rule may allow it without a question. Plan mode denies the call, because it changes files.
  checkPermissions: () => Promise.resolve({ behavior: 'passthrough' }),
  isReadOnly: () => false,
  isDestructive: () => false,
  getTimeoutMs: () => 600_000,

  call: (input, context) => enter(input, context),
  // The session's journal says whether the work tree was made, and where the session works.
  resumeCall: (input, context) => enter(input, context),

  userFacingName: () => 'Enter work tree',
  userFacingNameBackgroundColor: () => 'accent-soft',
  getToolUseSummary: (input) => clipText(input.path ?? input.name ?? '', 50) || null,
  getActivityDescription: () => 'Making a work tree',
  genToolPermission: (input) => ({ title: 'Work in a work tree of its own?', content: ask(input) }),
  genToolResultMessage: ({ worktreePath, message }) => ({
    title: 'Work tree',
    summary: worktreePath,
    content: message,
  }),
  extractSearchText: ({ worktreePath, worktreeBranch = '' }) => `${worktreePath} ${worktreeBranch}`,
  toAutoClassifierInput: ({ name, path }) => `work in the git work tree ${path ?? name ?? ''}`,

  mapToolResultToToolResultBlockParam: ({ message }, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: message,
  }),
} satisfies ToolDef<ReturnType<typeof enterWorktreeInputSchema>, EnterWorktreeOutput>);

async function enter(
  { name, path }: EnterWorktreeInput,
  { worktrees }: Pick<CallContext, 'worktrees'>,
): Promise<{ data: EnterWorktreeOutput }> {
  const wanted = { ...(name !== undefined && { name }), ...(path !== undefined && { path }) };
  const { path: worktreePath, branch, from } = await worktrees.enter(wanted);
  const on = branch === undefined ? '' : `, on branch ${branch}`;
  return {
    data: {
      worktreePath,
      ...(branch !== undefined && { worktreeBranch: branch }),
      message: `Your working directory is now ${worktreePath}${on}. Relative paths and cells work there from your next message on. The files in ${from} stay as they are. Commit what is to stay, and call ExitWorktree when you are done.`,
    },
  };
}

/** The question, as a sentence for a person. */
function ask({ name, path }: Partial<EnterWorktreeInput>): string {
  if (path !== undefined) return `The agent goes on in ${path}.`;
  const what =
    name === undefined ? 'a new work tree' : `.worktrees/${name} on branch worktree-${name}`;
  return `The agent makes ${what}, and works there. Your files stay as they are.`;
}

// Names that git, Windows and shells read as one path segment.
const goodName = /^[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?!\.))*$/u;

function isGoodName(name: string): boolean {
  return name.length <= maxWorktreeName && goodName.test(name) && !/\.(?:lock)?$/iu.test(name);
}

function findMistake(
  { name, path }: EnterWorktreeInput,
  { worktree, toolUseID = '', toolDecisions }: ToolUseContext,
): string | undefined {
  if (name !== undefined && path !== undefined) {
    return 'Give name for a new work tree, or path for one that is there, not both.';
  }
  if (path === '') return 'path is empty. Give the work tree, or leave it out for a new one.';
  if (name !== undefined && !isGoodName(name)) {
    return `"${clipText(name, maxWorktreeName)}" can't be a work tree's name. Take letters, digits, dots, underscores and dashes, at most ${maxWorktreeName}, with a letter or digit first, no "..", and not ".lock" at the end.`;
  }
  // A resumed call may have entered the work tree itself.
  const wasAllowed = toolDecisions.get(toolUseID) !== undefined;
  if (!worktree || wasAllowed) return undefined;
  return `You are in the work tree ${worktree.path} already. Leave it with ExitWorktree first.`;
}
