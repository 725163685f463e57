// Repl's input and output. Fields that Bash also has are the same; the others belong to cells.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';
import { patchHunkSchema } from '../../core/schema/patch-schema.ts';
import {
  defaultBackgroundTimeoutMs,
  defaultTimeoutMs,
  maxBackgroundTimeoutMs,
  maxTimeoutMs,
} from './input.ts';

/** The error for a model that uses Repl like the shell that it replaces. */
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

/** The parsed input of a call of Repl. */
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
    /** The agent is notified when the task ends, also when it is idle. */
    backgroundWakesOwner: z.literal(true).optional(),
    /** The path of the whole output: that of a background task, or of a result too long to show. */
    persistedOutputPath: z.string().optional(),
    /** In bytes. Left out while the file grows. */
    persistedOutputSize: z.number().optional(),
    /** The last expression's value as data. Left out if it isn't JSON's, or is long. */
    value: z.unknown().optional(),
    /** The same value as text, of whatever type. Left out when it is undefined. */
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
    /** The changes of the cell, to be authorised before they are kept, without git's own files. */
    changes: z.array(fileChangeSchema()).readonly(),
    /** The number of changes beyond those in `changes`. Left out: none. */
    changesLeftOut: z.number().optional(),
    /** The git commands that changed something. */
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
    /** The meaning of the outcome, if neither result nor error has it. */
    returnCodeInterpretation: z.string().optional(),
  }),
);

/** The output of Repl, as data. */
export type ReplOutput = z.output<ReturnType<typeof replOutputSchema>>;

/** The text that a cell prints while it runs, and the progress of a long command of git. */
export interface ReplProgress {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly git?: {
    readonly command: string;
    /**
     * `receiving` and `sending` count bytes, `checking out` files. The names of others say what
     * they count.
     */
    readonly phase: string;
    readonly done: number;
    readonly total?: number;
  };
}
