// Sleep's input and output.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

// A day: no host's timer needs to be longer.
export const maxSleepSeconds = 86_400;
// The time between ticks of proactive mode without Sleep.
export const defaultSleepSeconds = 60;

export const sleepInputSchema = lazySchema(() =>
  z.strictObject({
    seconds: z
      .number()
      .min(1)
      .max(maxSleepSeconds)
      .optional()
      .describe(
        `How long until the next tick, in seconds, at most ${maxSleepSeconds}. Default: ${defaultSleepSeconds}.`,
      ),
  }),
);

export type SleepInput = z.output<ReturnType<typeof sleepInputSchema>>;

export const sleepOutputSchema = lazySchema(() =>
  z.strictObject({ seconds: z.number(), message: z.string() }),
);

export type SleepOutput = z.output<ReturnType<typeof sleepOutputSchema>>;
