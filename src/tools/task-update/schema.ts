// TaskUpdate's input and output, as in the Claude Agent SDK.
import * as z from 'zod';
import { taskStatuses } from '../../core/session/task-list.ts';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

export const taskUpdateInputSchema = lazySchema(() =>
  z.strictObject({
    taskId: z.string().describe('The id of the task, as TaskList shows it.'),
    subject: z.string().optional().describe('What is to be done, in a line.'),
    description: z.string().optional().describe('All that whoever does it has to know.'),
    activeForm: z.string().optional().describe('What is shown while it is in progress.'),
    status: z
      .enum([...taskStatuses, 'deleted'])
      .optional()
      .describe('How far it has come; deleted: it is taken off the list.'),
    addBlocks: z.array(z.string()).optional().describe('Ids of tasks that wait for this one.'),
    addBlockedBy: z
      .array(z.string())
      .optional()
      .describe('Ids of tasks that must be done before this one.'),
    owner: z.string().optional().describe('The agent that does it; empty: nobody.'),
    metadata: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Merged into what it has; null removes a key.'),
  }),
);

export type TaskUpdateInput = z.output<ReturnType<typeof taskUpdateInputSchema>>;

export const taskUpdateOutputSchema = lazySchema(() =>
  z.strictObject({
    success: z.boolean(),
    taskId: z.string(),
    /** The fields that have another value now. */
    updatedFields: z.array(z.string()),
    /** The reason why nothing was changed. */
    error: z.string().optional(),
    statusChange: z.strictObject({ from: z.string(), to: z.string() }).optional(),
  }),
);

export type TaskUpdateOutput = z.output<ReturnType<typeof taskUpdateOutputSchema>>;
