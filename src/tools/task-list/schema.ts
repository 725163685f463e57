// TaskList's input and output, as in the Claude Agent SDK.
import * as z from 'zod';
import { taskStatuses } from '../../core/session/task-list.ts';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

export const taskListInputSchema = lazySchema(() => z.strictObject({}));

export type TaskListInput = z.output<ReturnType<typeof taskListInputSchema>>;

export const taskListOutputSchema = lazySchema(() =>
  z.strictObject({
    tasks: z.array(
      z.strictObject({
        id: z.string(),
        subject: z.string(),
        status: z.enum(taskStatuses),
        owner: z.string().optional(),
        blockedBy: z.array(z.string()),
      }),
    ),
  }),
);

export type TaskListOutput = z.output<ReturnType<typeof taskListOutputSchema>>;
