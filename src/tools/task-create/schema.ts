// TaskCreate's input and output, as in the Claude Agent SDK.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

export const taskCreateInputSchema = lazySchema(() =>
  z.strictObject({
    subject: z.string().describe('What is to be done, in a line.'),
    description: z.string().describe('All that whoever does it has to know.'),
    activeForm: z
      .string()
      .optional()
      .describe('What is shown while it is in progress, such as "Mending the parser".'),
    metadata: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('What else is to be kept with it.'),
  }),
);

export type TaskCreateInput = z.output<ReturnType<typeof taskCreateInputSchema>>;

export const taskCreateOutputSchema = lazySchema(() =>
  z.strictObject({
    task: z.strictObject({
      id: z.string(),
      subject: z.string(),
      description: z.string().optional(),
    }),
  }),
);

export type TaskCreateOutput = z.output<ReturnType<typeof taskCreateOutputSchema>>;
