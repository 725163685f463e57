// The built-in tools as the agent knows them: one line a tool, each loaded when it is first asked
// for. Their worker halves are in workers.ts, their views in views.ts.
import type { Tool } from '../core/tool.ts';

export interface ToolEntry {
  readonly name: string;
  load(): Promise<Tool>;
}

/** By name. */
export const definitions: readonly ToolEntry[] = [
  { name: 'Edit', load: async () => (await import('./edit/tool.ts')).editTool },
  { name: 'Glob', load: async () => (await import('./glob/tool.ts')).globTool },
  { name: 'Grep', load: async () => (await import('./grep/tool.ts')).grepTool },
  { name: 'Read', load: async () => (await import('./read/tool.ts')).readTool },
  { name: 'Repl', load: async () => (await import('./repl/tool.ts')).replTool },
  { name: 'Write', load: async () => (await import('./write/tool.ts')).writeTool },
];
