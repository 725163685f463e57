// TaskStop's input and output, as in the Claude Agent SDK.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

export const taskStopInputSchema = lazySchema(() =>
  z.strictObject({
    task_id: z.string().optional().describe('The id of the background task to stop.'),
    shell_id: z.string().optional().describe('The older name of task_id: use that.'),
  }),
);

export type TaskStopInput = z.output<ReturnType<typeof taskStopInputSchema>>;

export const taskStopOutputSchema = lazySchema(() =>
  z.strictObject({
    message: z.string(),
    task_id: z.string(),
    task_type: z.string(),
    /** The work of the task, in a few words. */
    command: z.string().optional(),
  }),
);

export type TaskStopOutput = z.output<ReturnType<typeof taskStopOutputSchema>>;
