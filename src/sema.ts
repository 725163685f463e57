// rockpool/sema: Sema Core's calls on tools, as thin views on the same registry. What is global there
// is given here: the host whose tools are meant, or the tools.
export {
  buildTools,
  getBuiltinTools,
  getToolInfos,
  getTools,
} from './agent/registry/sema-tools.ts';
export type { ToolInfo } from './agent/registry/sema-tools.ts';
