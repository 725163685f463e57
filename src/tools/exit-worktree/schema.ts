// ExitWorktree's input and output, as in the Claude Agent SDK.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

export const exitWorktreeInputSchema = lazySchema(() =>
  z.strictObject({
    action: z
      .enum(['keep', 'remove'])
      .describe(
        'keep: the work tree and its branch stay. remove: both go, if EnterWorktree has made them.',
      ),
    discard_changes: z
      .boolean()
      .optional()
      .describe(
        'With remove: what would be lost is given up. Only when the user has said so. Default: false.',
      ),
  }),
);

export type ExitWorktreeInput = z.output<ReturnType<typeof exitWorktreeInputSchema>>;

export const exitWorktreeOutputSchema = lazySchema(() =>
  z.strictObject({
    action: z.enum(['keep', 'remove']),
    originalCwd: z.string(),
    worktreePath: z.string(),
    worktreeBranch: z.string().optional(),
    discardedFiles: z.number().optional(),
    discardedCommits: z.number().optional(),
    message: z.string(),
  }),
);

export type ExitWorktreeOutput = z.output<ReturnType<typeof exitWorktreeOutputSchema>>;
