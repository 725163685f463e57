// What whoever holds a session does with its MCP servers: query.ts and run-session.ts give these methods. The servers'
// own code is fetched with the first of them.
import { SdkError } from '../core/errors.ts';
import type { AskMcpApp } from '../core/mcp/mcp-app.ts';
import type { McpControl } from './agent-session.ts';
import { loadMcpServers } from './load-features.ts';
import type { QueryOptions } from './query-options.ts';
import type { McpServers } from './session/mcp/mcp-servers.ts';
import type { Session } from './session/session.ts';

/** `open` gives the session, which may be open already. `signal`: aborted with the session. */
export function createMcpControl(
  open: () => Promise<Session> | Session,
  options: QueryOptions,
  signal: AbortSignal,
): McpControl {
  const servers = async () => requireServers(await open());
  return {
    mcpServerStatus: async () => (await open()).mcpServers?.status() ?? [],
    async setMcpServers(wanted) {
      const session = await open();
      const place = { cwd: session.cwd, signal, session: () => session };
      session.mcpServers ??= await loadMcpServers({}, options, place);
      return session.mcpServers.set(wanted);
    },
    reconnectMcpServer: async (name) => (await servers()).reconnect(name),
    toggleMcpServer: async (name, enabled) => (await servers()).toggle(name, enabled),
    async readMcpResource(name, uri) {
      const session = await open();
      const code = await import('./session/mcp/mcp-resources.ts');
      const wanted = { name, uri };
      return code.readForHost(requireServers(session), session.permissions, wanted, signal);
    },
    askMcpApp: (async (toolUseId, request) => {
      const session = await open();
      const code = await import('./ask-mcp-app.ts');
      return code.askMcpApp(session, toolUseId, request, signal);
    }) as AskMcpApp,
    loginMcpServer: async (name) => (await servers()).login(name),
    completeMcpLogin: async (callbackUrl) => (await servers()).completeLogin(callbackUrl),
    logoutMcpServer: async (name) => (await servers()).logout(name),
    completeCommand: async (name, args) =>
      (await open()).commands.find(name)?.complete?.(args) ?? [],
  };
}

/** @throws SdkError `bad-usage` where there are none. */
function requireServers({ mcpServers }: Session): McpServers {
  if (mcpServers) return mcpServers;
  throw new SdkError('bad-usage', 'There are no MCP servers here: give some by setMcpServers.');
}
