// The servers of a query's `mcpServers`. Loaded by create-session.ts for a query that has some.
import { SdkError } from '../../core/errors.ts';
import type { McpServerConfig, McpServerStatus } from '../../core/mcp-server.ts';
import type { Tools } from '../../core/tool.ts';

/** What a session has of its servers. */
export interface McpServers {
  readonly tools: Tools;
  readonly status: readonly McpServerStatus[];
  /** For the system prompt; empty for nothing. */
  readonly instructions: string;
  /** For the person: tools that can't be called, as another server's has the name. */
  readonly warnings: readonly string[];
}

/** @throws SdkError `bad-usage` for a server that can't be used here, with what can. */
export function openMcpServers(servers: Readonly<Record<string, McpServerConfig>>): McpServers {
  const tools: Tools[] = [];
  const status: McpServerStatus[] = [];
  const told: string[] = [];
  for (const [name, config] of Object.entries(servers)) {
    const { instance } = checkConfig(name, config);
    const offered = instance.toTools(name);
    tools.push(offered);
    status.push({
      name,
      status: 'connected',
      serverInfo: { name: instance.name, version: instance.version },
      tools: offered.map((tool) => ({ name: tool.mcpInfo?.toolName ?? tool.name })),
    });
    const { instructions } = instance;
    if (instructions !== '') told.push(`# The tools of ${name}\n\n${instructions}`);
  }
  return {
    tools: tools.flat(),
    status,
    instructions: told.join('\n\n'),
    warnings: listShadowed(tools.flat()),
  };
}

/** Names of two servers may come to the same: `my.notes` and `my_notes`. The one that is given first wins. */
function listShadowed(tools: Tools): string[] {
  const first = new Map<string, string>();
  return tools.flatMap(({ name, mcpInfo }) => {
    const server = mcpInfo?.serverName ?? '';
    const winner = first.get(name);
    first.set(name, winner ?? server);
    if (winner === undefined) return [];
    return `The tool ${name} of the server ${server} can't be called: the server ${winner} has one of that name. Give one of them another name.`;
  });
}

function checkConfig(name: string, config: McpServerConfig): McpServerConfig {
  // As it may come from a caller without types, or from the SDK's other kinds.
  const { type = 'stdio', instance } = (config ?? {}) as { type?: string; instance?: unknown };
  const isOurs =
    typeof (instance as McpServerConfig['instance'] | undefined)?.toTools === 'function';
  if (type === 'sdk' && isOurs) return config;
  const why =
    type === 'sdk'
      ? "its instance isn't one of rockpool/mcp: make it by createSdkMcpServer"
      : type === 'stdio'
        ? 'there are no processes here: offer its tools by createSdkMcpServer of rockpool/mcp'
        : `servers by ${type} can't be reached yet: offer their tools by createSdkMcpServer of rockpool/mcp`;
  throw new SdkError('bad-usage', `The MCP server ${name} can't be used: ${why}.`, {
    data: { server: name },
  });
}
