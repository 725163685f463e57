// The tool registry with Sema Core's names. Exported by `rockpool/sema`, and not used inside.
import type { Tools } from '../../core/tool/tool.ts';
import type { ToolParam } from '../../model/model.ts';
import type { Host } from '../host.ts';
import { sortByName } from './assemble.ts';
import { toToolParam } from './to-tool-param.ts';

/** One row of a settings page. */
export interface ToolInfo {
  readonly name: string;
  readonly description: string;
  readonly status: 'enable' | 'disable';
}

/** Every built-in tool of a host, sorted by name. */
export async function getBuiltinTools(host: Pick<Host, 'loadTools'>): Promise<Tools> {
  return sortByName(await host.loadTools());
}

/** The tools with these names; null or left out: all. */
export function getTools(tools: Tools, names: readonly string[] | null = null): Tools {
  return sortByName(names === null ? tools : tools.filter(({ name }) => names.includes(name)));
}

/** The tools in the form of the Messages API, sorted by name. */
export function buildTools(tools: Tools): Promise<ToolParam[]> {
  return Promise.all(sortByName(tools).map(toToolParam));
}

/** Every tool, and whether the host's `useTools` setting includes it. Null: all are in use. */
export function getToolInfos(
  tools: Tools,
  useTools: readonly string[] | null = null,
): Promise<ToolInfo[]> {
  return Promise.all(
    sortByName(tools).map(async (tool) => ({
      name: tool.name,
      description: await tool.description(),
      status: useTools === null || useTools.includes(tool.name) ? 'enable' : 'disable',
    })),
  );
}
