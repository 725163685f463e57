// SetGoal's input and output, as in the Claude Agent SDK.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';
import { maxGoalLength } from '../../core/session/goal.ts';

export const setGoalInputSchema = lazySchema(() =>
  z.strictObject({
    condition: z
      .string()
      .trim()
      .min(1)
      .max(maxGoalLength)
      .describe('What is to hold, so that the conversation can show it.'),
    ask_user: z.boolean().optional().describe('The user confirms it first.'),
  }),
);

export type SetGoalInput = z.output<ReturnType<typeof setGoalInputSchema>>;

export const setGoalOutputSchema = lazySchema(() =>
  z.strictObject({
    condition: z.string(),
    /** True if a person had to confirm the goal. */
    askUser: z.boolean(),
  }),
);

export type SetGoalOutput = z.output<ReturnType<typeof setGoalOutputSchema>>;
