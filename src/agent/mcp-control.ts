// What whoever holds a session does with its MCP servers: query.ts and run-session.ts give these methods. The servers'
// own code is fetched with the first of them.
import { SdkError } from '../core/errors.ts';
import type { AskMcpApp } from '../core/mcp/mcp-app.ts';
import type { McpControl } from './agent-session.ts';
import { loadMcpServers } from './load-features.ts';
import type { QueryOptions } from './query-options.ts';
import type { McpServers } from './session/mcp/mcp-servers.ts';
import type { Session } from './session/session.ts';

/** `signal`: aborted with the session. */
export function createMcpControl(
  session: Session,
  options: QueryOptions,
  signal: AbortSignal,
): McpControl {
  return {
    mcpServerStatus: async () => session.mcpServers?.status() ?? [],
    async setMcpServers(servers) {
      const place = { cwd: session.cwd, signal, session: () => session };
      session.mcpServers ??= await loadMcpServers({}, options, place);
      return session.mcpServers.set(servers);
    },
    reconnectMcpServer: async (name) => requireServers(session).reconnect(name),
    toggleMcpServer: async (name, enabled) => requireServers(session).toggle(name, enabled),
    async readMcpResource(name, uri) {
      const code = await import('./session/mcp/mcp-resources.ts');
      const wanted = { name, uri };
      return code.readForHost(requireServers(session), session.permissions, wanted, signal);
    },
    askMcpApp: (async (toolUseId, request) => {
      const code = await import('./ask-mcp-app.ts');
      return code.askMcpApp(session, toolUseId, request, signal);
    }) as AskMcpApp,
    loginMcpServer: async (name) => requireServers(session).login(name),
    completeMcpLogin: async (callbackUrl) => requireServers(session).completeLogin(callbackUrl),
    logoutMcpServer: async (name) => requireServers(session).logout(name),
    completeCommand: async (name, args) => session.commands.find(name)?.complete?.(args) ?? [],
  };
}

/** @throws SdkError `bad-usage` where there are none. */
function requireServers({ mcpServers }: Session): McpServers {
  if (mcpServers) return mcpServers;
  throw new SdkError('bad-usage', 'There are no MCP servers here: give some by setMcpServers.');
}
