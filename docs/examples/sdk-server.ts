// The same as the Claude Agent SDK has it: tools as a server in the same process.
import { createSdkMcpServer, query, tool } from 'rockpool';
import type { Host, Model } from 'rockpool';
import * as z from 'zod';

const add = tool(
  'add',
  'Adds two numbers.',
  { a: z.number(), b: z.number() },
  async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
  { annotations: { readOnlyHint: true, openWorldHint: false } },
);

const sums = createSdkMcpServer({ name: 'sums', tools: [add] });

/** Its tools are `mcp__sums__add` and so on, deferred until ToolSearch finds them. */
export const askForSums = (host: Host, model: Model, prompt: string) =>
  query({ prompt, options: { host, model, mcpServers: { sums } } });
