// rockpool/sema: Sema Core's functions on tools, over our registry, and its forms of tools and events. What is global
// in Sema Core is a parameter here: the host, or the tools.
import './core/symbol-dispose.ts';
export {
  buildTools,
  getBuiltinTools,
  getToolInfos,
  getTools,
} from './agent/registry/sema-tools.ts';
export type { ToolInfo } from './agent/registry/sema-tools.ts';
export { adaptTool } from './adapters/sema/adapt-tool.ts';
export type {
  NewerSemaTool,
  SemaAgentContext,
  SemaCallContext,
  SemaOutput,
  SemaTool,
  SemaYield,
} from './adapters/sema/adapt-tool.ts';
export { createToolSystem } from './adapters/sema/tool-system.ts';
export type { ToolSystem, ToolSystemOptions } from './adapters/sema/tool-system.ts';
export { toPermissionKey, toPermissionRules } from './adapters/sema/permission-keys.ts';
export { MCPManager } from './adapters/sema/mcp-manager.ts';
export { connectEventBus } from './adapters/sema/event-bus.ts';
export type {
  EventBus,
  ToolExecutionComplete,
  ToolExecutionError,
  ToolPermissionRequest,
  ToolPermissionResponse,
} from './adapters/sema/event-bus.ts';
