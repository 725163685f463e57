// TaskOutput's input and output. They are ours: the Claude Agent SDK has no such tool any more.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

/** The time that it waits, in milliseconds: half a minute, and ten at most. */
export const defaultWaitMs = 30_000;
const maxWaitMs = 600_000;

export const taskOutputInputSchema = lazySchema(() =>
  z.strictObject({
    task_id: z.string().describe('The id of the background task.'),
    block: z.boolean().optional().describe('Wait until it has ended. Default: true.'),
    timeout: z
      .number()
      .int()
      .min(0)
      .max(maxWaitMs)
      .optional()
      .describe(`Milliseconds to wait at most. Default: ${defaultWaitMs}.`),
  }),
);

export type TaskOutputInput = z.output<ReturnType<typeof taskOutputInputSchema>>;

export const taskOutputOutputSchema = lazySchema(() =>
  z.strictObject({
    task_id: z.string(),
    task_type: z.string(),
    description: z.string(),
    status: z.enum(['running', 'completed', 'failed', 'stopped']),
    /** The end of the printed text, or of the result. */
    output: z.string(),
    /** The number of characters before that. */
    omitted: z.number(),
    output_file: z.string(),
  }),
);

export type TaskOutputOutput = z.output<ReturnType<typeof taskOutputOutputSchema>>;
