// ScheduleWakeup's input and output, as in the Claude Agent SDK.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

// The Claude Agent SDK's limits. An earlier wake-up isn't worth a request, and a later one is a
// job's.
export const minDelaySeconds = 60;
export const maxDelaySeconds = 3_600;

export const scheduleWakeupInputSchema = lazySchema(() =>
  z.strictObject({
    delaySeconds: z
      .number()
      .optional()
      .describe(
        `How long until you are woken, in seconds: from ${minDelaySeconds} to ${maxDelaySeconds}, else the nearer of the two.`,
      ),
    reason: z.string().max(500).optional().describe('What you wait for, in a line for the user.'),
    prompt: z
      .string()
      .max(10_000)
      .optional()
      .describe('What you are told then. Default: the reason.'),
    stop: z.boolean().optional().describe('true: the wake-up that is set is cancelled instead.'),
    noop: z
      .boolean()
      .optional()
      .describe('true: there was nothing to do since you were woken. The user is shown that.'),
  }),
);

export type ScheduleWakeupInput = z.output<ReturnType<typeof scheduleWakeupInputSchema>>;

export const scheduleWakeupOutputSchema = lazySchema(() =>
  z.strictObject({
    /** In milliseconds since the epoch. 0 if it was cancelled. */
    scheduledFor: z.number(),
    clampedDelaySeconds: z.number(),
    wasClamped: z.boolean(),
    stopped: z.boolean().optional(),
    cancelledWakeups: z.number().optional(),
  }),
);

export type ScheduleWakeupOutput = z.output<ReturnType<typeof scheduleWakeupOutputSchema>>;
