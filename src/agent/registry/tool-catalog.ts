// Implements the port core/tool/tool-catalog.ts.
import { findToolByName } from '../../core/tool/tool.ts';
import { toDefinition } from '../../core/tool/listed-tool.ts';
import type { KnownTools } from '../../core/tool/listed-tool.ts';
import type { ToolCatalog } from '../../core/tool/tool-catalog.ts';
import { isDeferredTool } from './defer.ts';
import type { Pool } from './prepare-pool.ts';
import type { ToolSwitches } from './tool-gates.ts';
import type { ToolParamWriter } from './to-tool-param.ts';

/** The parts of the session that the catalog uses. */
export interface CatalogPorts {
  readonly switches: ToolSwitches;
  readonly toolParams: ToolParamWriter;
}

/** The catalog of one call. `tools`: those that the call may call or find. */
export function createToolCatalog(
  tools: KnownTools,
  pool: Pool,
  { switches, toolParams }: CatalogPorts,
): ToolCatalog {
  return {
    async search(query, maxResults) {
      const { searchTools } = await import('./search-tools.ts');
      return searchTools(query, maxResults, {
        tools,
        deferred: tools.filter((tool) => isDeferredTool(tool, switches)),
        describe: async (tool) => {
          const { name, description, input_schema } = await toolParams.writeWithUsage(
            await toDefinition(tool),
            pool.promptOptions,
          );
          return { name, description, input_schema };
        },
      });
    },
    isUnloaded: (name) => pool.unloaded.includes(findToolByName(tools, name)?.name ?? name),
  };
}
