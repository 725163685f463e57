// ReadMcpResourceTool's input and output, as in the Claude Agent SDK.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

export const readMcpResourceInputSchema = lazySchema(() =>
  z.strictObject({
    server: z.string().describe('The name of the server.'),
    uri: z.string().describe('The address of the resource.'),
  }),
);

export type ReadMcpResourceInput = z.output<ReturnType<typeof readMcpResourceInputSchema>>;

export const readMcpResourceOutputSchema = lazySchema(() =>
  z.strictObject({
    contents: z.array(
      z.strictObject({
        uri: z.string(),
        mimeType: z.string().optional(),
        text: z.string().optional(),
        /** The path of a file of the session. */
        blobSavedTo: z.string().optional(),
      }),
    ),
  }),
);

export type ReadMcpResourceOutput = z.output<ReturnType<typeof readMcpResourceOutputSchema>>;
