// WebSearch's input and output, as in the Claude Agent SDK.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

const domains = (what: string) =>
  z
    .array(z.string())
    .min(1)
    .max(50)
    .optional()
    .describe(`${what}, such as example.com or example.com/docs. Either this list or the other.`);

export const webSearchInputSchema = lazySchema(() =>
  z.strictObject({
    query: z.string().trim().min(2).max(500).describe('What to search for.'),
    allowed_domains: domains('Results of these hosts and of those below them alone'),
    blocked_domains: domains('No results of these hosts and of those below them'),
  }),
);

export type WebSearchInput = z.output<ReturnType<typeof webSearchInputSchema>>;

export const webSearchOutputSchema = lazySchema(() =>
  z.strictObject({
    query: z.string(),
    /** Pages that a search found, or words about them, in their order. */
    results: z.array(
      z.union([
        z.strictObject({
          tool_use_id: z.string(),
          content: z.array(
            z.strictObject({
              title: z.string(),
              url: z.string(),
              snippet: z.string().optional(),
            }),
          ),
        }),
        z.string(),
      ]),
    ),
    durationSeconds: z.number(),
    searchCount: z.number().optional(),
  }),
);

export type WebSearchOutput = z.output<ReturnType<typeof webSearchOutputSchema>>;
