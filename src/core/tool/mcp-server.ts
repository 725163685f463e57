// MCP servers as a query is told of them, and as hosts and hooks are. What a server offers comes as
// tools: how it is reached is the server's own part.
import type { McpToolInfo, Tools } from './tool.ts';

/** A server whose code is on the same page. Made by `createSdkMcpServer` of rockpool/mcp. */
export interface McpServerInstance {
  readonly name: string;
  readonly version: string;
  /** How its tools are meant to be used, for the system prompt; empty for nothing. */
  readonly instructions: string;
  /**
   * Its tools, named `mcp__<serverName>__<tool>`: a host may give it another name than its own.
   *
   * @throws SdkError `bad-usage` where that makes names that the API doesn't take.
   */
  toTools(serverName: string): Tools;
}

/** As the Claude Agent SDK spells it. */
export interface McpSdkServerConfig {
  readonly type: 'sdk';
  readonly name: string;
  readonly instance: McpServerInstance;
}

/** Each server of `options.mcpServers`. Servers elsewhere, by HTTP or WebSocket, come later. */
export type McpServerConfig = McpSdkServerConfig;

/** A server of the query's, as `Query.mcpServerStatus()` tells of it. */
export interface McpServerStatus {
  readonly name: string;
  /** What is in process is always there. */
  readonly status: 'connected';
  /** As the server calls itself. */
  readonly serverInfo: { readonly name: string; readonly version: string };
  /** By the server's own names. */
  readonly tools: readonly { readonly name: string }[];
}

/** Whose tool a call is of. */
export interface McpServerProvenance {
  readonly name: string;
  /** Given with the query, or a tool of the host's that says so of itself: there is no other yet. */
  readonly source: 'sdk';
}

/** What hosts and hooks are told of a remote tool's server. */
export function toMcpServer({ serverName }: McpToolInfo): McpServerProvenance {
  return { name: serverName, source: 'sdk' };
}
