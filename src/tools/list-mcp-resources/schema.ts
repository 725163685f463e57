// ListMcpResourcesTool's input and output, as in the Claude Agent SDK; `complete` is ours.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

export const listMcpResourcesInputSchema = lazySchema(() =>
  z.strictObject({
    server: z.string().optional().describe('Only what this server has. Left out: all of them.'),
    complete: z
      .strictObject({
        uri: z.string().describe('The template, as it was listed.'),
        argument: z.string().describe('The name in the braces.'),
        value: z.string().optional().describe('How its value begins.'),
      })
      .optional()
      .describe('Lists what a template of the server can be filled in with.'),
  }),
);

export type ListMcpResourcesInput = z.output<ReturnType<typeof listMcpResourcesInputSchema>>;

export const listMcpResourcesOutputSchema = lazySchema(() =>
  z.array(
    z.strictObject({
      uri: z.string(),
      name: z.string(),
      mimeType: z.string().optional(),
      description: z.string().optional(),
      server: z.string(),
    }),
  ),
);

export type ListMcpResourcesOutput = z.output<ReturnType<typeof listMcpResourcesOutputSchema>>;
