// rockpool/sema: Sema Core's forms. Its calls on tools as thin views on the same registry (what is global
// there is given here: the host whose tools are meant, or the tools), its tools, and its events about calls.
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
