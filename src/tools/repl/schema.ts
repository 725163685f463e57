// Repl's input and output: where Bash's have a field, the same one, with what a cell has beyond it.
import * as z from 'zod';
import { lazySchema } from '../../core/lazy-schema.ts';
import { patchHunkSchema } from '../../core/patch-schema.ts';

/** How long a cell may run when it says nothing: 2 minutes, as Bash has it. */
export const defaultTimeoutMs = 120_000;

// 10 minutes, as Bash has it: longer than any project's tests that one would wait for.
const maxTimeoutMs = 600_000;

export const replInputSchema = lazySchema(() =>
  z.strictObject({
    code: z
      .string()
      .describe(
        'The JavaScript or TypeScript of one cell. Top-level await works; the value of the last expression is the result.',
      ),
    timeout: z
      .number()
      .int()
      .min(1)
      .max(maxTimeoutMs)
      .optional()
      .describe(
        `Milliseconds after which the cell is cut and rolled back. Default ${defaultTimeoutMs}, at most ${maxTimeoutMs}.`,
      ),
    description: z
      .string()
      .optional()
      .describe('What the cell does, in 5 to 10 words, for the person who watches.'),
    run_in_background: z
      .boolean()
      .optional()
      .describe('Not available yet: leave it out, and give the cell a larger timeout instead.'),
  }),
);

export type ReplInput = z.output<ReturnType<typeof replInputSchema>>;

const fileChangeSchema = lazySchema(() =>
  z.strictObject({
    path: z.string(),
    type: z.enum(['create', 'update', 'delete']),
    additions: z.number(),
    deletions: z.number(),
    structuredPatch: z.array(patchHunkSchema()).readonly(),
  }),
);

export const replOutputSchema = lazySchema(() =>
  z.strictObject({
    stdout: z.string(),
    stderr: z.string(),
    /** It was stopped from outside. */
    interrupted: z.boolean(),
    /** The last expression's value as text; left out when it is undefined. */
    result: z.string().optional(),
    error: z
      .strictObject({
        name: z.string(),
        message: z.string(),
        /** The line of the cell's code that threw. */
        line: z.number().optional(),
        stack: z.string().optional(),
      })
      .optional(),
    timedOutAfterMs: z.number().optional(),
    /** What the cell changed, to be authorised before it is kept. */
    changes: z.array(fileChangeSchema()).readonly(),
    /** The cell failed: variables and files are as they were before it. */
    rolledBack: z.boolean(),
    /** What the outcome means where neither result nor error says it. */
    returnCodeInterpretation: z.string().optional(),
  }),
);

export type ReplOutput = z.output<ReturnType<typeof replOutputSchema>>;

/** What a cell prints while it runs. */
export interface ReplProgress {
  readonly stdout?: string;
  readonly stderr?: string;
}
