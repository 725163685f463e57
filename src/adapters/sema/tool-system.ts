// Sema Core's functions on tools, with the same arguments and results, over the tools of one host. Exported by
// `rockpool/sema`, for code that was written for Sema Core.
import { SdkError } from '../../core/errors.ts';
import type { McpSdkServerConfig } from '../../core/mcp/mcp-server.ts';
import { findNearNames } from '../../core/text/near-names.ts';
import type { Tool, Tools } from '../../core/tool/tool.ts';
import type { Host } from '../../agent/host.ts';
import { sortByName } from '../../agent/registry/assemble.ts';
import { buildTools, getToolInfos } from '../../agent/registry/sema-tools.ts';
import type { ToolInfo } from '../../agent/registry/sema-tools.ts';
import type { ToolParam } from '../../model/model.ts';
import { adaptTool } from './adapt-tool.ts';
import type { NewerSemaTool, SemaTool } from './adapt-tool.ts';
import { listMeant, toPermissionKey, toPermissionRules } from './permission-keys.ts';

/** Values that are global in Sema Core, and are options here. */
export interface ToolSystemOptions {
  readonly host: Pick<Host, 'loadTools'>;
  /** The host's own tools, in Sema Core's form or in ours. */
  readonly tools?: readonly (Tool | SemaTool | NewerSemaTool)[];
  /** In-process servers, by the names that the query gives them. */
  readonly mcpServers?: Readonly<Record<string, McpSdkServerConfig>>;
  /** The names of the tools that are in use; null: all. @defaultValue null */
  readonly useTools?: readonly string[] | null;
}

/** Sema Core's functions on the tools of a host. All are synchronous, because everything was read beforehand. */
export interface ToolSystem {
  /** The host's built-in tools, sorted by name. */
  getBuiltinTools(): Tools;
  /**
   * The enabled tools among these names, sorted by name. Null: all. Left out: those in use. A server's tool is also
   * found as `<server>_<tool>`.
   */
  getTools(names?: readonly string[] | null): Tools;
  /** Every tool, and whether it is in use. */
  getToolInfos(): readonly ToolInfo[];
  /**
   * Converts tools of this system for the Messages API, sorted by name.
   *
   * @throws SdkError `bad-usage` for a tool of another system
   */
  buildTools(tools: Tools): readonly ToolParam[];
  /** {@link toPermissionKey} of the tool of that name. @throws SdkError `bad-usage` where there is none. */
  getPermissionKey(toolName: string, content?: string): string;
  /** {@link toPermissionRules} among all tools. Throws as that does. */
  toRules(keys: readonly string[], behavior: 'allow' | 'deny'): readonly string[];
}

/**
 * Loads the host's tools, and reads the description and the schema of each once. Only this step is asynchronous,
 * unlike in Sema Core, because our tools load on first use and their descriptions are promises.
 *
 * Give a query `tools: system.getTools()`, but without the tools of servers, which the query gets by its
 * `mcpServers`.
 *
 * Rejects with `bad-usage` for two tools of one name and for a name in `useTools` that no tool has, and as
 * {@link buildTools}.
 */
export async function createToolSystem({
  host,
  tools: given = [],
  mcpServers = {},
  useTools = null,
}: ToolSystemOptions): Promise<ToolSystem> {
  const builtin = sortByName(await host.loadTools());
  const remote = Object.entries(mcpServers).flatMap(([name, { instance }]) =>
    instance.toTools(name),
  );
  const all = sortByName([...builtin, ...given.map(toTool), ...remote]);
  checkNames(all);
  const inUse = useTools && listNamed(useTools, all);
  const infos = await getToolInfos(all, inUse && inUse.map(({ name }) => name));
  const params = new Map<Tool, ToolParam>();
  for (const tool of all) {
    const [param] = await buildTools([tool]);
    if (param) params.set(tool, param);
  }
  return {
    getBuiltinTools: () => builtin,
    getTools(names) {
      const wanted =
        names === undefined ? inUse : names && names.flatMap((name) => listMeant(name, all));
      return all.filter((tool) => (!wanted || wanted.includes(tool)) && tool.isEnabled());
    },
    getToolInfos: () => infos,
    buildTools: (tools) =>
      sortByName(tools).map((tool) => {
        const param = params.get(tool);
        if (param) return param;
        throw new SdkError(
          'bad-usage',
          `${tool.name} is no tool of this system. Give it to createToolSystem, or use buildTools of rockpool/sema.`,
          { data: { toolName: tool.name } },
        );
      }),
    getPermissionKey(toolName, content) {
      const [tool] = listNamed([toolName], all);
      return tool ? toPermissionKey(tool, content) : toolName;
    },
    toRules: (keys, behavior) => toPermissionRules(keys, behavior, all),
  };
}

/** Recognises Sema Core's forms by the fields that only they have. */
function toTool(given: Tool | SemaTool | NewerSemaTool): Tool {
  return 'genResultForAssistant' in given ? adaptTool(given) : given;
}

function checkNames(all: Tools): void {
  const names = all.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice === undefined) return;
  throw new SdkError('bad-usage', `Two tools are named ${twice}. Rename one of them.`, {
    data: { toolName: twice },
  });
}

function listNamed(names: readonly string[], all: Tools): Tool[] {
  return names.flatMap((name) => {
    const meant = listMeant(name, all);
    if (meant.length > 0) return meant;
    const near = findNearNames(
      name,
      all.map((tool) => tool.name),
    );
    const hint = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : '';
    throw new SdkError('bad-usage', `There is no tool named ${name}.${hint}`, { data: { name } });
  });
}
