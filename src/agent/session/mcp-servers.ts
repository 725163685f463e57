// The servers of a query's `mcpServers`. Loaded by create-session.ts for a query that has some.
import { SdkError } from '../../core/errors.ts';
import type { McpServerConfig, McpServerStatus } from '../../core/tool/mcp-server.ts';
import { toApiName } from '../../core/mcp-tool-name.ts';
import type { Tools } from '../../core/tool/tool.ts';

/** What a session has of its servers. */
export interface McpServers {
  readonly tools: Tools;
  readonly status: readonly McpServerStatus[];
  /** For the system prompt; empty for nothing. */
  readonly instructions: string;
}

/**
 * @throws SdkError `bad-usage` for a server that can't be used here, with what can, and for servers whose
 * names, or those of their tools, can't be told apart.
 */
export function openMcpServers(servers: Readonly<Record<string, McpServerConfig>>): McpServers {
  const tools: Tools[] = [];
  const status: McpServerStatus[] = [];
  const told: string[] = [];
  checkServerNames(Object.keys(servers));
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
  checkToolNames(tools.flat());
  return { tools: tools.flat(), status, instructions: told.join('\n\n') };
}

// Security: what a rule says of one server must not be said of another by accident. `my.notes` and
// `my_notes` come to the same, and the tools of `a__b` to names that `a` could have.
function checkServerNames(names: readonly string[]): void {
  for (const [at, one] of names.entries()) {
    for (const other of names.slice(at + 1)) {
      const [short, long] = one.length <= other.length ? [one, other] : [other, one];
      const [start, whole] = [toApiName(short), toApiName(long)];
      if (start !== whole && !whole.startsWith(`${start}__`)) continue;
      const why =
        start === whole
          ? `both come to mcp__${start}`
          : `mcp__${whole} reads as a tool of the server ${short}`;
      throw new SdkError(
        'bad-usage',
        `The MCP servers ${one} and ${other} can't be used together: ${why}. Give one of them another name.`,
        { data: { servers: [one, other] } },
      );
    }
  }
}

/** What is left: `a_` with a tool `x`, and `a` with a tool `_x`. */
function checkToolNames(tools: Tools): void {
  const servers = new Map<string, string>();
  for (const { name, mcpInfo } of tools) {
    const server = mcpInfo?.serverName ?? '';
    const other = servers.get(name);
    if (other !== undefined) {
      throw new SdkError(
        'bad-usage',
        `The MCP servers ${other} and ${server} each have a tool that comes to ${name}. Give one of them another name.`,
        { data: { servers: [other, server], toolName: name } },
      );
    }
    servers.set(name, server);
  }
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
