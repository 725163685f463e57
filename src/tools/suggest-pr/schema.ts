// SuggestPr's input and output. The Claude Agent SDK declares none: these are ours.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

export const suggestPrInputSchema = lazySchema(() =>
  z.strictObject({
    repository: z.string().describe('The repository on the forge, as owner/name.'),
    branch: z.string().describe('The branch to merge. It was pushed before.'),
    base: z
      .string()
      .optional()
      .describe("What it is to be merged into. Left out: the repository's usual branch."),
    title: z.string().describe('What the change does, in a line.'),
    body: z.string().describe('What reviewers should know, in Markdown.'),
  }),
);

export type SuggestPrInput = z.output<ReturnType<typeof suggestPrInputSchema>>;

export const suggestPrOutputSchema = lazySchema(() =>
  z.strictObject({
    /** `noted`: the host has it, and decides by itself. */
    status: z.enum(['made', 'noted']),
    number: z.number().optional(),
    url: z.string().optional(),
    /** The changes, as `git diff` shows them. Left out if they aren't known. */
    diff: z.string().optional(),
  }),
);

export type SuggestPrOutput = z.output<ReturnType<typeof suggestPrOutputSchema>>;
