// CronCreate's input and output, as in the Claude Agent SDK, and the time zone.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

export const cronCreateInputSchema = lazySchema(() =>
  z.strictObject({
    cron: z
      .string()
      .max(100)
      .describe(
        'Five fields in local time: minute, hour, day of the month, month, day of the week. "0 9 * * 1-5" is nine in the morning from Monday to Friday.',
      ),
    prompt: z
      .string()
      .min(1)
      .max(10_000)
      .describe('What you are told when it is due: all that you need to do it then.'),
    recurring: z
      .boolean()
      .optional()
      .describe(
        'false: it runs once, at the next time that fits. Default: true, for 7 days at most.',
      ),
    durable: z
      .boolean()
      .optional()
      .describe('true: it outlives a close of the session. Default: false.'),
  }),
);

export type CronCreateInput = z.output<ReturnType<typeof cronCreateInputSchema>>;

export const cronCreateOutputSchema = lazySchema(() =>
  z.strictObject({
    id: z.string(),
    humanSchedule: z.string(),
    recurring: z.boolean(),
    durable: z.boolean().optional(),
    /** In milliseconds since the epoch. */
    nextFireAt: z.number().optional(),
    /** For a job that runs once: the other such jobs, so that none is made twice. */
    otherOneShots: z
      .array(z.strictObject({ id: z.string(), humanSchedule: z.string(), prompt: z.string() }))
      .optional(),
    /** Ours: the time zone of the schedule. */
    timeZone: z.string(),
  }),
);

export type CronCreateOutput = z.output<ReturnType<typeof cronCreateOutputSchema>>;
