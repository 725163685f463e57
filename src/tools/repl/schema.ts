// Repl's input and output: where Bash's have a field, the same one, with what a cell has beyond it.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';
import { patchHunkSchema } from '../../core/schema/patch-schema.ts';
import {
  defaultBackgroundTimeoutMs,
  defaultTimeoutMs,
  maxBackgroundTimeoutMs,
  maxTimeoutMs,
} from './input.ts';

/** For a model that takes it for the shell in whose place it stands. */
const sayWhatItTakes: z.core.$ZodErrorMap = ({ keys }) =>
  Array.isArray(keys) && keys.includes('command')
    ? 'There is no shell and no command here: send JavaScript as code'
    : undefined;

export const replInputSchema = lazySchema(() =>
  z.strictObject(
    {
      code: z
        .string()
        .describe(
          'The JavaScript or TypeScript of one cell. Top-level await works; the value of the last expression is the result.',
        ),
      timeout: z
        .number()
        .int()
        .min(1)
        .max(maxBackgroundTimeoutMs)
        .optional()
        .describe(
          `Milliseconds after which the cell is cut and rolled back. Default ${defaultTimeoutMs}, at most ${maxTimeoutMs}; in the background ${defaultBackgroundTimeoutMs} and ${maxBackgroundTimeoutMs}.`,
        ),
      description: z
        .string()
        .optional()
        .describe('What the cell does, in 5 to 10 words, for the person who watches.'),
      run_in_background: z
        .boolean()
        .optional()
        .describe(
          'Runs the cell beside the conversation, on a copy of the session: its variables do not come back. You are told when it ends.',
        ),
    },
    { error: sayWhatItTakes },
  ),
);

/** What a call of Repl takes, as its schema gives it. */
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
    /** The cell was stopped from outside. */
    interrupted: z.boolean(),
    /** The cell runs in the background, under this id; its outcome isn't here. */
    backgroundTaskId: z.string().optional(),
    /** The query has one prompt, and the answer to it ends the task. */
    backgroundEndsWithFinalResponse: z.literal(true).optional(),
    /** The agent is told when the task ends, also when it is at rest. */
    backgroundWakesOwner: z.literal(true).optional(),
    /** Where the whole output is: that of a background task, or of a result too long to show. */
    persistedOutputPath: z.string().optional(),
    /** In bytes; left out while it grows. */
    persistedOutputSize: z.number().optional(),
    /** The last expression's value as data; left out where it isn't JSON's, or is long. */
    value: z.unknown().optional(),
    /** The same as text, for whatever it is; left out when it is undefined. */
    display: z.string().optional(),
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
    /** What the cell changed, to be authorised before it is kept; without what git keeps for itself. */
    changes: z.array(fileChangeSchema()).readonly(),
    /** So many more than `changes` has. Left out: none. */
    changesLeftOut: z.number().optional(),
    /** What git did that changed something. */
    git: z
      .array(
        z.strictObject({
          command: z.string(),
          told: z.string(),
          isDestructive: z.literal(true).optional(),
        }),
      )
      .readonly()
      .optional(),
    /** The cell failed: variables and files are as they were before it. */
    rolledBack: z.boolean(),
    /** What the outcome means where neither result nor error says it. */
    returnCodeInterpretation: z.string().optional(),
  }),
);

/** What Repl answers, as data. */
export type ReplOutput = z.output<ReturnType<typeof replOutputSchema>>;

/** What a cell prints while it runs, and how far a command of git is that takes long. */
export interface ReplProgress {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly git?: {
    readonly command: string;
    /** `receiving` and `sending` count bytes, `checking out` files, others what their name says. */
    readonly phase: string;
    readonly done: number;
    readonly total?: number;
  };
}
