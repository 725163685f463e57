// TaskGet's input and output, as in the Claude Agent SDK.
import * as z from 'zod';
import { taskStatuses } from '../../core/session/task-list.ts';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

export const taskGetInputSchema = lazySchema(() =>
  z.strictObject({ taskId: z.string().describe('The id of the task, as TaskList shows it.') }),
);

export type TaskGetInput = z.output<ReturnType<typeof taskGetInputSchema>>;

export const taskGetOutputSchema = lazySchema(() =>
  z.strictObject({
    /** Null: the list has no such task. */
    task: z
      .strictObject({
        id: z.string(),
        subject: z.string(),
        description: z.string(),
        status: z.enum(taskStatuses),
        blocks: z.array(z.string()),
        blockedBy: z.array(z.string()),
      })
      .nullable(),
  }),
);

export type TaskGetOutput = z.output<ReturnType<typeof taskGetOutputSchema>>;
