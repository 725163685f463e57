// rockpool/mcp: so far the names of remote tools. The client joins with its own issue.
export { buildMcpToolName, parseMcpToolName } from './mcp/tool-name.ts';
export type { McpToolName } from './mcp/tool-name.ts';
