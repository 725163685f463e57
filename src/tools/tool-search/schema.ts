// ToolSearch's input and output. The Claude Agent SDK has the tool's name and publishes no types of it.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

/** 5: enough for a model to choose from, and few enough to read. */
export const defaultMaxResults = 5;

export const toolSearchInputSchema = lazySchema(() =>
  z.strictObject({
    query: z
      .string()
      .min(1)
      .describe(
        '"select:A,B" for tools by name, or words to look for; "+word" must be in the name.',
      ),
    max_results: z
      .number()
      .int()
      .min(1)
      .optional()
      .describe(`How many tools words may load. Default: ${defaultMaxResults}.`),
  }),
);

export type ToolSearchInput = z.output<ReturnType<typeof toolSearchInputSchema>>;

const foundToolSchema = lazySchema(() =>
  z.strictObject({
    name: z.string(),
    description: z.string(),
    /** The JSON Schema of the tool's input. */
    input_schema: z.looseObject({ type: z.literal('object') }),
  }),
);

export const toolSearchOutputSchema = lazySchema(() =>
  z.strictObject({
    query: z.string(),
    /** The best first. */
    matches: z.array(foundToolSchema()).readonly(),
    /** Requested names that no tool has. */
    unknown: z.array(z.string()).readonly(),
    total_deferred_tools: z.number(),
  }),
);

export type ToolSearchOutput = z.output<ReturnType<typeof toolSearchOutputSchema>>;
