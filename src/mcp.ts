// rockpool/mcp: in-process servers with your own tools, the types for remote servers, and the names of their tools.
// The host connects to remote servers.
import './core/symbol-dispose.ts';
export { createSdkMcpServer } from './mcp/create-sdk-mcp-server.ts';
export type { SdkMcpServerOptions } from './mcp/create-sdk-mcp-server.ts';
export { tool } from './mcp/tool.ts';
export type {
  SdkMcpToolDefinition,
  ToolAnnotations,
  ToolExtras,
  ToolHandlerExtra,
} from './mcp/tool.ts';
export type { SdkMcpPrompt, SdkMcpResource } from './mcp/sdk-server-extras.ts';
export type { CallToolResult, McpContent } from './mcp/call-tool-result.ts';
export type {
  McpSdkServerConfig,
  McpHttpServerConfig,
  McpPortServerConfig,
  McpRemoteServerConfig,
  McpServerConfig,
  McpServerInstance,
  McpServerProvenance,
  McpServerStatus,
  McpSetServersResult,
  McpWebServerConfig,
  McpWsServerConfig,
  RemoteMcpServer,
  WebModelContext,
} from './core/mcp/mcp-server.ts';
export type {
  McpLogin,
  McpLoginOptions,
  McpLoginStore,
  McpRegisteredClient,
} from './core/mcp/mcp-login.ts';
export type {
  AskMcpApp,
  McpAppAnswer,
  McpAppAnswers,
  McpAppPage,
  McpAppReference,
  McpAppRequest,
  McpAppResult,
} from './core/mcp/mcp-app.ts';
export type { McpBounds } from './mcp/client/bounds.ts';
export type { McpHostOptions, McpProxyAddress } from './mcp/client/thread-client.ts';
export type {
  ElicitationRequest,
  ElicitationResult,
  ElicitedValue,
  McpResourceContents,
  OnElicitation,
  SDKControlMcpReadResourceResponse,
} from './core/mcp/mcp-exchange.ts';
export { buildMcpToolName, parseMcpToolName } from './core/mcp/mcp-tool-name.ts';
export type { McpToolName } from './core/mcp/mcp-tool-name.ts';
