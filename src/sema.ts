// rockpool/sema: Sema Core's calls on tools, as thin views on the same registry. So far these two;
// take the tools from a host's `loadTools()`.
export { buildTools, getToolInfos } from './agent/registry/sema-tools.ts';
export type { ToolInfo } from './agent/registry/sema-tools.ts';
