// CronList's input and output, as in the Claude Agent SDK, and the time now.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

export const cronListInputSchema = lazySchema(() => z.strictObject({}));

export type CronListInput = z.output<ReturnType<typeof cronListInputSchema>>;

export const cronListOutputSchema = lazySchema(() =>
  z.strictObject({
    jobs: z.array(
      z.strictObject({
        id: z.string(),
        cron: z.string(),
        humanSchedule: z.string(),
        prompt: z.string(),
        recurring: z.boolean().optional(),
        durable: z.boolean().optional(),
        /** In milliseconds since the epoch. */
        nextFireAt: z.number().optional(),
        /** Ours: the time zone of the schedule. */
        timeZone: z.string(),
      }),
    ),
    /** Ours: the present time in milliseconds since the epoch, and the time zone of a new job. */
    now: z.number(),
    timeZone: z.string(),
  }),
);

export type CronListOutput = z.output<ReturnType<typeof cronListOutputSchema>>;
