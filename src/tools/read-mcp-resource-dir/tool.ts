// The definition of the tool ReadMcpResourceDirTool. The session does the work, as the servers are
// its own.
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import { createResourceMatcher, requireMcpResources } from '../../core/mcp/mcp-resources.ts';
import { toSummary } from '../../core/tool/summary.ts';
import {
  readMcpResourceDirDescription,
  readMcpResourceDirPrompt,
  readMcpResourceDirToolName,
} from './prompt.ts';
import {
  readMcpResourceDirInputSchema,
  readMcpResourceDirOutputSchema,
  type ReadMcpResourceDirOutput,
} from './schema.ts';

export const readMcpResourceDirTool = buildTool({
  name: readMcpResourceDirToolName,
  aliases: ['ReadMcpResourceDir'],
  searchHint: 'list a directory of an MCP server',
  shouldDefer: true,
  get inputSchema() {
    return readMcpResourceDirInputSchema();
  },
  get outputSchema() {
    return readMcpResourceDirOutputSchema();
  },

  description: (input) =>
    Promise.resolve(input ? `List ${input.uri} of ${input.server}` : readMcpResourceDirDescription),
  prompt: () => Promise.resolve(readMcpResourceDirPrompt),

  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  isOpenWorld: () => true,
  preparePermissionMatcher: (input) => Promise.resolve(createResourceMatcher(input)),

  async call({ server, uri }, context): Promise<{ data: ReadMcpResourceDirOutput }> {
    const listed = await requireMcpResources(context).readDirectory(server, uri);
    const resources = listed.map(({ uri: at, name, mimeType }) => ({
      ...{ uri: at, name },
      ...(mimeType !== undefined && { mimeType }),
    }));
    return { data: { resources } };
  },

  userFacingName: () => 'List directory of resources',
  getToolUseSummary: ({ uri = '' }) => toSummary(uri) || null,
  getActivityDescription: ({ uri }) => (uri === undefined ? null : `Listing ${uri}`),
  isSearchOrReadCommand: () => ({ isSearch: false, isRead: false, isList: true }),
  toAutoClassifierInput: ({ server, uri }) =>
    `list the directory ${uri} of the MCP server ${server}`,

  mapToolResultToToolResultBlockParam: ({ resources }, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: resources.length === 0 ? 'It is empty.' : JSON.stringify(resources),
  }),
} satisfies ToolDef<ReturnType<typeof readMcpResourceDirInputSchema>, ReadMcpResourceDirOutput>);
