// Does a rule's name mean this tool? By its name, an older name of it, its MCP server, or a wildcard.
import { parseMcpToolName, toApiName } from '../../core/mcp-tool-name.ts';
import type { McpToolName } from '../../core/mcp-tool-name.ts';

/** As much of a tool as names need. */
export interface NamedTool {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Of a server's tool, as the server is called in the query. */
  readonly mcpInfo?: McpToolName;
}

/** `mcp__server` means every tool of that server, as `mcp__server__*` does. */
export function ruleNamesTool(ruleName: string, { name, aliases, mcpInfo }: NamedTool): boolean {
  const isRemoteRule = ruleName.startsWith(remotePrefix);
  const isNamed = isRemoteRule ? namesRemote(ruleName, name, mcpInfo) : means(ruleName, name);
  return isNamed || aliases?.some((alias) => means(ruleName, alias)) === true;
}

const remotePrefix = 'mcp__';

/**
 * Security: server and tool are compared, each with its own. By the whole name, a rule on the server
 * `github` would mean the tools of one that calls itself `github__evil`, too.
 */
function namesRemote(ruleName: string, name: string, info: McpToolName | undefined): boolean {
  const parts = info ?? parseMcpToolName(name);
  if (name === ruleName || !parts) return name === ruleName;
  const server = toApiName(parts.serverName);
  const tool = toApiName(parts.toolName);
  const rest = ruleName.slice(remotePrefix.length);
  if (rest === server) return true;
  if (rest.startsWith(`${server}__`)) return means(rest.slice(server.length + 2), tool);
  // Only a wildcard can mean another server's name, and it reaches to the next `__` at most.
  const end = rest.indexOf('__');
  const serverPattern = end < 0 ? rest : rest.slice(0, end);
  if (!serverPattern.includes('*') || !matchesWildcard(serverPattern, server)) return false;
  return end < 0 || means(rest.slice(end + 2), tool);
}

function means(pattern: string, name: string): boolean {
  return name === pattern || (pattern.includes('*') && matchesWildcard(pattern, name));
}

// By hand rather than by RegExp: `a*a*a*…` against a long name must not take exponential time.
function matchesWildcard(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (!name.startsWith(first)) return false;
  const last = rest.pop() ?? '';
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
