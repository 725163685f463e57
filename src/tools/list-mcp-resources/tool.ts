// The definition of the tool ListMcpResourcesTool. The session does the work, as the servers are
// its own.
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import { requireMcpResources } from '../../core/mcp/mcp-resources.ts';
import { toSummary } from '../../core/tool/summary.ts';
import { toValidation } from '../../core/tool/validation.ts';
import {
  listMcpResourcesDescription,
  listMcpResourcesPrompt,
  listMcpResourcesToolName,
} from './prompt.ts';
import {
  listMcpResourcesInputSchema,
  listMcpResourcesOutputSchema,
  type ListMcpResourcesOutput,
} from './schema.ts';

export const listMcpResourcesTool = buildTool({
  name: listMcpResourcesToolName,
  aliases: ['ListMcpResources'],
  searchHint: 'list resources of connected MCP servers',
  shouldDefer: true,
  get inputSchema() {
    return listMcpResourcesInputSchema();
  },
  get outputSchema() {
    return listMcpResourcesOutputSchema();
  },

  description: (input) =>
    Promise.resolve(
      input ? `List resources of ${input.server ?? 'all servers'}` : listMcpResourcesDescription,
    ),
  prompt: () => Promise.resolve(listMcpResourcesPrompt),

  validateInput: ({ server, complete }) =>
    toValidation(
      complete && server === undefined ? 'Say whose template it is: give its server.' : undefined,
    ),
  // Listing sends a server nothing new. But a part of an address that the model fills in goes out.
  checkPermissions: ({ complete }) =>
    Promise.resolve(complete?.value ? { behavior: 'passthrough' } : { behavior: 'allow' }),
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  isOpenWorld: () => true,

  async call({ server, complete }, context): Promise<{ data: ListMcpResourcesOutput }> {
    const resources = requireMcpResources(context);
    if (complete && server !== undefined) {
      const { uri, argument, value = '' } = complete;
      return {
        data: [...(await resources.complete({ server, uriTemplate: uri, argument, value }))],
      };
    }
    const { resources: listed, problems } = await resources.list(server);
    for (const problem of problems) context.addNotification(problem);
    return { data: [...listed] };
  },

  userFacingName: () => 'List resources',
  getToolUseSummary: ({ server = '' }) => toSummary(server) || null,
  getActivityDescription: ({ server }) => `Listing resources of ${server ?? 'MCP servers'}`,
  isSearchOrReadCommand: () => ({ isSearch: false, isRead: false, isList: true }),
  toAutoClassifierInput: ({ server = 'all servers' }) => `list MCP resources of ${server}`,

  mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: output.length === 0 ? 'There are none.' : JSON.stringify(output),
  }),
} satisfies ToolDef<ReturnType<typeof listMcpResourcesInputSchema>, ListMcpResourcesOutput>);
