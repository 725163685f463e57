// A connected server as the agent has it: its tools are tools like any other, of the principal `remote`. Hosts make
// their McpClientPort of it.
import type { ToolDef } from '../../core/tool/build-tool.ts';
import { buildTool } from '../../core/tool/build-tool.ts';
import { buildMcpToolName } from '../../core/mcp-tool-name.ts';
import type {
  McpClientPort,
  McpHttpServerConfig,
  RemoteMcpServer,
} from '../../core/tool/mcp-server.ts';
import { anyObject } from '../../core/tool/standard-schema.ts';
import type { InputSchema, Tool } from '../../core/tool/tool.ts';
import { checkResult, toResultContent } from '../call-tool-result.ts';
import type { CallToolResult } from '../call-tool-result.ts';
import { toMeta } from '../create-sdk-mcp-server.ts';
import type { Connect, Connection, Offer, OfferedTool } from './connection.ts';

/** What the API takes as a tool's name, in characters. */
const maxNameLength = 128;

export function createMcpClient(connect: Connect): McpClientPort {
  return {
    async connect(_name, config, { onTools, onLost, signal }): Promise<RemoteMcpServer> {
      let offer: Offer | undefined;
      const listeners = {
        onOffer(next: Offer) {
          offer = next;
          onTools();
        },
        onLost,
      };
      const connection = await connect(config, listeners, signal);
      const now = () => offer ?? connection.offer;
      return {
        get name() {
          return now().name;
        },
        get version() {
          return now().version;
        },
        get instructions() {
          return now().instructions;
        },
        get problems() {
          return now().problems;
        },
        toTools: (serverName) =>
          now()
            .tools.map((tool) => toTool(serverName, tool, config, connection))
            .filter(({ name }) => name.length <= maxNameLength),
        close: () => connection.close(),
      };
    },
  };
}

/** Whatever it says of itself: its results come from outside. */
function toTool(
  serverName: string,
  { name: toolName, description, inputSchema, annotations }: OfferedTool,
  { alwaysLoad, timeout, trustAnnotations = false }: McpHttpServerConfig,
  connection: Connection,
): Tool {
  const name = buildMcpToolName({ serverName, toolName });
  const { title, readOnlyHint = false, destructiveHint = false } = annotations;
  return buildTool({
    name,
    isMcp: true,
    mcpInfo: { serverName, toolName, isElsewhere: true },
    // The server checks its input itself: only it knows all of JSON Schema that it uses.
    inputSchema: anyObject,
    inputJSONSchema: inputSchema,
    ...(alwaysLoad && { alwaysLoad }),
    ...(timeout !== undefined && { getTimeoutMs: () => timeout }),
    description: () => Promise.resolve(description),
    prompt: () => Promise.resolve(''),
    isReadOnly: () => trustAnnotations && readOnlyHint,
    isConcurrencySafe: () => readOnlyHint,
    isDestructive: () => destructiveHint,
    isOpenWorld: () => true,
    userFacingName: () => title ?? `${serverName} - ${toolName}`,
    toAutoClassifierInput: (input) => input,
    async call(input, { abortController: { signal } }, _canUseTool, _message, onProgress) {
      const result = await connection.call(toolName, input, {
        signal,
        ...(timeout !== undefined && { timeoutMs: timeout }),
        onProgress: (progress) => onProgress?.(progress),
      });
      const data = checkResult(name, result);
      const mcpMeta = toMeta(data);
      return { data, ...(mcpMeta && { mcpMeta }) };
    },
    mapToolResultToToolResultBlockParam: (result, toolUseID) => ({
      type: 'tool_result',
      tool_use_id: toolUseID,
      content: toResultContent(result),
      ...(result.isError === true && { is_error: true }),
    }),
  } satisfies ToolDef<InputSchema, CallToolResult>) as unknown as Tool;
}
