// The definition of the tool ReadMcpResourceTool. The session does the work, as the servers are its
// own.
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import { createResourceMatcher, requireMcpResources } from '../../core/mcp/mcp-resources.ts';
import { toSummary } from '../../core/tool/summary.ts';
import {
  readMcpResourceDescription,
  readMcpResourcePrompt,
  readMcpResourceToolName,
} from './prompt.ts';
import {
  readMcpResourceInputSchema,
  readMcpResourceOutputSchema,
  type ReadMcpResourceOutput,
} from './schema.ts';

export const readMcpResourceTool = buildTool({
  name: readMcpResourceToolName,
  aliases: ['ReadMcpResource'],
  searchHint: 'read a resource of an MCP server',
  shouldDefer: true,
  get inputSchema() {
    return readMcpResourceInputSchema();
  },
  get outputSchema() {
    return readMcpResourceOutputSchema();
  },

  description: (input) =>
    Promise.resolve(input ? `Read ${input.uri} of ${input.server}` : readMcpResourceDescription),
  prompt: () => Promise.resolve(readMcpResourcePrompt),

  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  isOpenWorld: () => true,
  preparePermissionMatcher: (input) => Promise.resolve(createResourceMatcher(input)),

  async call({ server, uri }, context): Promise<{ data: ReadMcpResourceOutput }> {
    return { data: { contents: [...(await requireMcpResources(context).read(server, uri))] } };
  },

  userFacingName: () => 'Read resource',
  getToolUseSummary: ({ uri = '' }) => toSummary(uri) || null,
  getActivityDescription: ({ uri }) => (uri === undefined ? null : `Reading ${uri}`),
  isSearchOrReadCommand: () => ({ isSearch: false, isRead: true }),
  toAutoClassifierInput: ({ server, uri }) =>
    `read the resource ${uri} of the MCP server ${server}`,

  mapToolResultToToolResultBlockParam: ({ contents }, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: contents.map(describeContents).join('\n\n') || 'It is empty.',
  }),
} satisfies ToolDef<ReturnType<typeof readMcpResourceInputSchema>, ReadMcpResourceOutput>);

type Contents = ReadMcpResourceOutput['contents'][number];

function describeContents({ uri, mimeType, text = '', blobSavedTo }: Contents): string {
  const kind = mimeType === undefined ? '' : ` (${mimeType})`;
  if (blobSavedTo !== undefined) return `${uri}${kind}: its bytes are in ${blobSavedTo}.`;
  return `${uri}${kind}:\n${text}`;
}
