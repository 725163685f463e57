// EnterWorktree's input and output, as in the Claude Agent SDK.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

// 64: as in the Claude Agent SDK.
export const maxWorktreeName = 64;

export const enterWorktreeInputSchema = lazySchema(() =>
  z.strictObject({
    name: z
      .string()
      .optional()
      .describe(
        `What the new work tree is called: letters, digits, dots, underscores and dashes, at most ${maxWorktreeName}. Left out: a name is made up. Not together with path.`,
      ),
    path: z
      .string()
      .optional()
      .describe(
        'An existing work tree of this repository to work in, instead of a new one. Not together with name.',
      ),
  }),
);

export type EnterWorktreeInput = z.output<ReturnType<typeof enterWorktreeInputSchema>>;

export const enterWorktreeOutputSchema = lazySchema(() =>
  z.strictObject({
    worktreePath: z.string(),
    worktreeBranch: z.string().optional(),
    message: z.string(),
  }),
);

export type EnterWorktreeOutput = z.output<ReturnType<typeof enterWorktreeOutputSchema>>;
