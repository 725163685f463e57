// CronDelete's input and output, as in the Claude Agent SDK.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

export const cronDeleteInputSchema = lazySchema(() =>
  z.strictObject({ id: z.string().describe("The job's id, as CronCreate and CronList give it.") }),
);

export type CronDeleteInput = z.output<ReturnType<typeof cronDeleteInputSchema>>;

export const cronDeleteOutputSchema = lazySchema(() => z.strictObject({ id: z.string() }));

export type CronDeleteOutput = z.output<ReturnType<typeof cronDeleteOutputSchema>>;
