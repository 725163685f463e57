// The definition of the tool WaitForMcpServers. It has no worker half, because servers belong to
// the session.
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import { toSummary } from '../../core/tool/summary.ts';
import {
  waitForMcpServersDescription,
  waitForMcpServersPrompt,
  waitForMcpServersToolName,
} from './prompt.ts';
import {
  longestWait,
  usualWait,
  waitForMcpServersInputSchema,
  waitForMcpServersOutputSchema,
  type WaitForMcpServersInput,
  type WaitForMcpServersOutput,
} from './schema.ts';

export const waitForMcpServersTool = buildTool({
  name: waitForMcpServersToolName,
  searchHint: 'wait for remote servers to connect',
  shouldDefer: true,
  get inputSchema() {
    return waitForMcpServersInputSchema();
  },
  get outputSchema() {
    return waitForMcpServersOutputSchema();
  },

  description: (input) =>
    Promise.resolve(input ? `Wait for ${listNames(input)}` : waitForMcpServersDescription),
  prompt: () => Promise.resolve(waitForMcpServersPrompt),

  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  changesOnlySession: () => true,
  // A second more than the longest wait: the call ends by itself.
  getTimeoutMs: () => (longestWait + 1) * 1_000,

  async call({ servers, timeout_seconds = usualWait }, { mcpServers, abortController }) {
    const statuses = await mcpServers.wait(
      servers,
      timeout_seconds * 1_000,
      abortController.signal,
    );
    return {
      data: {
        servers: statuses.map(({ name, status, tools, error }) => ({
          name,
          status,
          ...(tools && { tools: tools.length }),
          ...(error !== undefined && { error }),
        })),
      },
    };
  },

  userFacingName: () => 'Wait for servers',
  getToolUseSummary: (input) => toSummary(listNames(input)),
  getActivityDescription: (input) => `Waiting for ${listNames(input)}`,
  toAutoClassifierInput: (input) => `wait for the connection of ${listNames(input)}`,

  mapToolResultToToolResultBlockParam: ({ servers }, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content:
      servers.length === 0
        ? 'No server is being connected: what servers offer is known already.'
        : servers.map(toLine).join('\n'),
  }),
} satisfies ToolDef<ReturnType<typeof waitForMcpServersInputSchema>, WaitForMcpServersOutput>);

function listNames({ servers }: Partial<WaitForMcpServersInput>): string {
  return servers && servers.length > 0 ? servers.join(', ') : 'MCP servers';
}

type Waited = WaitForMcpServersOutput['servers'][number];

function toLine({ name, status, tools = 0, error }: Waited): string {
  switch (status) {
    case 'connected':
      return `${name} is connected: ${tools === 1 ? '1 tool' : `${tools} tools`}.`;
    case 'pending':
      return `${name} is still being connected. Go on without it, or wait once more.`;
    case 'needs-auth':
      return `${name} wants a login. Tell the user.`;
    case 'disabled':
      return `${name} is switched off.`;
    case 'failed':
      return `${name} could not be reached. ${error ?? ''}`.trimEnd();
  }
}
