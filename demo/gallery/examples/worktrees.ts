// Calls of the tools that take the agent into a work tree and out of it.
import type {
  EnterWorktreeInput,
  EnterWorktreeOutput,
} from '../../../src/tools/enter-worktree/schema.ts';
import type {
  ExitWorktreeInput,
  ExitWorktreeOutput,
} from '../../../src/tools/exit-worktree/schema.ts';
import type { ToolExample } from '../tool-example.ts';

const place = {
  worktreePath: '/workspace/.worktrees/rounding',
  worktreeBranch: 'worktree-rounding',
};

export const enterWorktreeExample: ToolExample<EnterWorktreeInput, EnterWorktreeOutput> = {
  input: { name: 'rounding' },
  output: { ...place, message: `Your working directory is now ${place.worktreePath}.` },
  failure: 'There is a branch worktree-rounding already. Take another name.',
};

export const exitWorktreeExample: ToolExample<ExitWorktreeInput, ExitWorktreeOutput> = {
  input: { action: 'remove', discard_changes: true },
  output: {
    ...place,
    action: 'remove',
    originalCwd: '/workspace',
    discardedFiles: 2,
    discardedCommits: 1,
    message: `Removed ${place.worktreePath} and the branch ${place.worktreeBranch}. What was given up: 2 changed files and 1 commit.`,
  },
  failure: 'The work tree holds 2 files that are not committed.',
};
