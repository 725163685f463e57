// The MCP servers that a definition of the query gives its agents in addition to their caller's. Loaded for queries
// with such a definition. load-features.ts checks the servers, and create-agent.ts opens them for an agent.
import { SdkError } from '../../core/errors.ts';
import type { McpServerConfig } from '../../core/mcp/mcp-server.ts';
import type { Model } from '../../model/model.ts';
import type { QueryOptions } from '../query-options.ts';
import { createMcpExchange } from '../session/mcp/mcp-exchange.ts';
import type { McpExchange } from '../session/mcp/mcp-exchange.ts';
import { checkMcpServers } from '../session/mcp/check-mcp-servers.ts';
import { createMcpServers } from '../session/mcp/mcp-servers.ts';
import type { McpServers, McpServersOptions } from '../session/mcp/mcp-servers.ts';
import { createMcpResources, listResourceServers } from '../session/mcp/mcp-resources.ts';
import type { Session } from '../session/session.ts';
import type { AgentDefinition } from './definitions.ts';

/**
 * Checks that the servers of all definitions are valid.
 * @throws SdkError `bad-usage` for a name that no server of the query has, and for a server that
 * has the name of another. Throws as {@link checkMcpServers} does, too.
 */
export function checkAgentServers({
  agents = {},
  mcpServers = {},
  host,
}: Pick<QueryOptions, 'agents' | 'mcpServers' | 'host'>): void {
  for (const [name, definition] of Object.entries(agents)) {
    const refuse = (what: string): never => {
      throw new SdkError('bad-usage', `agents has "${name}", ${what}`, { data: { agent: name } });
    };
    const given: Record<string, McpServerConfig> = { ...mcpServers };
    for (const one of definition.mcpServers ?? []) {
      if (typeof one === 'string') {
        if (Object.hasOwn(mcpServers, one)) continue;
        refuse(`which names the MCP server ${one}. There is none of that name in mcpServers.`);
      }
      for (const [server, config] of Object.entries(one)) {
        if (Object.hasOwn(given, server)) {
          refuse(`which has an MCP server ${server}, as there is already. Give it another name.`);
        }
        given[server] = config;
      }
    }
    checkMcpServers(given, host.mcp);
  }
}

/** Opens the agent's own servers, which the agent closes at its end. Undefined: it has none. */
export async function openOwnServers(
  { mcpServers = [] }: AgentDefinition,
  {
    exchange,
    session,
    cwd,
    samplingModel,
    ...options
  }: Omit<McpServersOptions, 'exchange'> & {
    /** The caller's exchange. Undefined: the caller has no servers. */
    readonly exchange: McpExchange | undefined;
    readonly session: () => Session;
    readonly cwd: string;
    readonly samplingModel: Model | undefined;
  },
): Promise<McpServers | undefined> {
  const own = mcpServers.filter((one) => typeof one !== 'string');
  if (own.length === 0) return undefined;
  return createMcpServers(Object.assign({}, ...own), {
    ...options,
    exchange: exchange ?? createMcpExchange(session, { cwd, samplingModel }, options.signal),
  });
}

/**
 * Joins servers. Of two with one name the second counts. Changes of servers go to the second ones.
 */
export function joinServers(first: McpServers | undefined, second: McpServers): McpServers {
  const isTaken = (server: string) => second.status().some(({ name }) => name === server);
  const self: McpServers = {
    ...second,
    hasResources: ({ permissions }) => listResourceServers(self, permissions).length > 0,
    toResources: (agent, signal) => createMcpResources(self, agent, signal),
    isElsewhere: () => second.isElsewhere() || first?.isElsewhere() === true,
    async wait(names, ms, signal) {
      const isOwn = (name: string) => isTaken(name) || !first;
      const waited = await Promise.all([
        first?.wait(
          names?.filter((name) => !isOwn(name)),
          ms,
          signal,
        ) ?? [],
        second.wait(names?.filter(isOwn), ms, signal),
      ]);
      return waited.flat();
    },
    tools: () => [
      ...(first?.tools() ?? []).filter(({ mcpInfo }) => !isTaken(mcpInfo?.serverName ?? '')),
      ...second.tools(),
    ],
    connected: () => [
      ...(first?.connected() ?? []).filter(({ name }) => !isTaken(name)),
      ...second.connected(),
    ],
    status: () => [
      ...(first?.status() ?? []).filter(({ name }) => !isTaken(name)),
      ...second.status(),
    ],
    notes: () => [
      ...(first?.notes() ?? []).filter(({ name }) => !isTaken(name)),
      ...second.notes(),
    ],
  };
  return self;
}
