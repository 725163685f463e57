// Snip's input and output. The Claude Agent SDK declares none: these are ours.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

export const snipInputSchema = lazySchema(() =>
  z.strictObject({
    from: z.number().int().min(1).optional().describe('The number of the first part to take out.'),
    to: z.number().int().min(1).optional().describe('The number of the last one.'),
    note: z
      .string()
      .trim()
      .min(1)
      .max(4_000)
      .optional()
      .describe('What of it is still worth knowing. You see this in its place.'),
  }),
);

export type SnipInput = z.output<ReturnType<typeof snipInputSchema>>;

const parts = z.array(z.strictObject({ id: z.number(), text: z.string(), tokens: z.number() }));

export const snipOutputSchema = lazySchema(() =>
  z.discriminatedUnion('operation', [
    z.strictObject({
      operation: z.literal('list'),
      /** The largest parts, in the order of the conversation. */
      parts,
      /** The number of the other parts. */
      smaller: z.number(),
    }),
    z.strictObject({
      operation: z.literal('snip'),
      /** The parts that were taken out. */
      parts,
      freedTokens: z.number(),
      note: z.string(),
    }),
  ]),
);

export type SnipOutput = z.output<ReturnType<typeof snipOutputSchema>>;
