// The built-in tools as the agent knows them: one line a tool, loaded when first asked for. Their
// worker halves, of those that have one, are in workers.ts, their views in views.ts.
import type { Tool } from '../core/tool/tool.ts';

export interface ToolEntry {
  readonly name: string;
  load(): Promise<Tool>;
}

/** By name. */
export const definitions: readonly ToolEntry[] = [
  { name: 'Edit', load: async () => (await import('./core-tools.ts')).editTool },
  { name: 'Glob', load: async () => (await import('./core-tools.ts')).globTool },
  { name: 'Grep', load: async () => (await import('./core-tools.ts')).grepTool },
  {
    name: 'NotebookEdit',
    load: async () => (await import('./deferred-tools.ts')).notebookEditTool,
  },
  { name: 'Read', load: async () => (await import('./core-tools.ts')).readTool },
  { name: 'Repl', load: async () => (await import('./core-tools.ts')).replTool },
  { name: 'TaskStop', load: async () => (await import('./deferred-tools.ts')).taskStopTool },
  { name: 'ToolSearch', load: async () => (await import('./core-tools.ts')).toolSearchTool },
  { name: 'Write', load: async () => (await import('./core-tools.ts')).writeTool },
];
