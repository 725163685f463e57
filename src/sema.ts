// rockpool/sema: Sema Core's forms. Its calls on tools are thin views on the same registry. What is global there is a
// parameter here: the host whose tools are meant, or the tools. Its tools and its events about calls are here, too.
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
