// ReadMcpResourceDirTool's input and output, as in the Claude Agent SDK.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

export const readMcpResourceDirInputSchema = lazySchema(() =>
  z.strictObject({
    server: z.string().describe('The name of the server.'),
    uri: z.string().describe('The address of the directory.'),
  }),
);

export type ReadMcpResourceDirInput = z.output<ReturnType<typeof readMcpResourceDirInputSchema>>;

export const readMcpResourceDirOutputSchema = lazySchema(() =>
  z.strictObject({
    resources: z.array(
      z.strictObject({ uri: z.string(), name: z.string(), mimeType: z.string().optional() }),
    ),
  }),
);

export type ReadMcpResourceDirOutput = z.output<ReturnType<typeof readMcpResourceDirOutputSchema>>;
