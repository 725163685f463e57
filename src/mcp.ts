// rockpool/mcp: tools of your own as an in-process server, and the names of remote tools. The client for
// servers elsewhere joins with its own issue.
export { createSdkMcpServer } from './mcp/create-sdk-mcp-server.ts';
export type { SdkMcpServerOptions } from './mcp/create-sdk-mcp-server.ts';
export { tool } from './mcp/tool.ts';
export type {
  SdkMcpToolDefinition,
  ToolAnnotations,
  ToolExtras,
  ToolHandlerExtra,
} from './mcp/tool.ts';
export type { CallToolResult, McpContent } from './mcp/call-tool-result.ts';
export type {
  McpSdkServerConfig,
  McpServerConfig,
  McpServerInstance,
  McpServerProvenance,
  McpServerStatus,
} from './core/tool/mcp-server.ts';
export { buildMcpToolName, parseMcpToolName } from './core/mcp-tool-name.ts';
export type { McpToolName } from './core/mcp-tool-name.ts';
