// The tool that waits and does nothing else: both halves. For calls whose time is somebody else's.
import * as z from 'zod';
import { buildTool, type ToolDef } from 'rockpool/browser';
import type { WorkerTool } from 'rockpool/serve-tools';

const inputSchema = z.strictObject({ ms: z.number() });
const outputSchema = z.object({ ms: z.number() });

export const waitTool = buildTool({
  name: 'Wait',
  inputSchema,
  outputSchema,
  runsIn: 'worker',
  maxResultSizeChars: 1000,
  description: () => Promise.resolve('Waits.'),
  prompt: () => Promise.resolve('Waits for some milliseconds.'),
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  mapToolResultToToolResultBlockParam: ({ ms }, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: `Waited ${ms} ms.`,
  }),
} satisfies ToolDef<typeof inputSchema, z.output<typeof outputSchema>>);

export const waitHandler: WorkerTool = {
  inputSchema,
  handler: async (input: unknown) => {
    const { ms } = inputSchema.parse(input);
    await new Promise((resolve) => setTimeout(resolve, ms));
    return { ms };
  },
};
