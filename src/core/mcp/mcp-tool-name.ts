// Names of MCP tools among ours: `mcp__<server>__<tool>`.

/** The server's own names. */
export interface McpToolName {
  readonly serverName: string;
  readonly toolName: string;
}

/**
 * The name that the model sees. The API takes letters, digits, `_` and `-`; whatever else the names
 * have becomes `_`. Inverse, for names that needed no change: {@link parseMcpToolName}.
 */
export function buildMcpToolName({ serverName, toolName }: McpToolName): string {
  return `mcp__${toApiName(serverName)}__${toApiName(toolName)}`;
}

/**
 * The two names, or undefined where it isn't a remote tool's. A server's name ends at the first
 * `__` after the prefix. So a server whose own name has two underscores in a row can't be told.
 */
export function parseMcpToolName(name: string): McpToolName | undefined {
  const groups = /^mcp__(?<serverName>.+?)__(?<toolName>.+)$/su.exec(name)?.groups;
  const { serverName, toolName } = groups ?? {};
  return serverName === undefined || toolName === undefined ? undefined : { serverName, toolName };
}

/** A server's or a tool's name as it stands in the whole name. Two names may come to the same. */
export function toApiName(name: string): string {
  return name.replace(/[^\w-]/gu, '_');
}
