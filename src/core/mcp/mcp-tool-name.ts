// The full names of MCP tools: `mcp__<server>__<tool>`.

/** The server's own names. */
export interface McpToolName {
  readonly serverName: string;
  readonly toolName: string;
}

/**
 * The name that the model sees. The API accepts letters, digits, `_` and `-`; every other character becomes `_`.
 * Inverse, for names that needed no change: {@link parseMcpToolName}.
 */
export function buildMcpToolName({ serverName, toolName }: McpToolName): string {
  return `mcp__${toApiName(serverName)}__${toApiName(toolName)}`;
}

/**
 * The names of the server and of the tool. Undefined: the name isn't a remote tool's. The server's name ends at the
 * first `__` after the prefix. So the result is wrong for a server whose own name has two underscores in a row.
 */
export function parseMcpToolName(name: string): McpToolName | undefined {
  const groups = /^mcp__(?<serverName>.+?)__(?<toolName>.+)$/su.exec(name)?.groups;
  const { serverName, toolName } = groups ?? {};
  return serverName === undefined || toolName === undefined ? undefined : { serverName, toolName };
}

/** A server's or a tool's name in the form that the full name has. Two names may give the same form. */
export function toApiName(name: string): string {
  return name.replace(/[^\w-]/gu, '_');
}
