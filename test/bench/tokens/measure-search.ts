// How well and how fast ToolSearch finds: asked by the registry's port, as a call of the tool asks it.
import { createToolParamWriter } from '../../../src/agent/registry/to-tool-param.ts';
import { preparePool } from '../../../src/agent/registry/prepare-pool.ts';
import { createToolCatalog } from '../../../src/agent/registry/tool-catalog.ts';
import type { Tools } from '../../../src/core/tool/tool.ts';
import type { ToolCatalog } from '../../../src/core/tool/tool-catalog.ts';
import * as coreTools from '../../../src/tools/core-tools.ts';
import { defaultMaxResults } from '../../../src/tools/tool-search/schema.ts';
import { median, percentile } from '../workspace/statistics.ts';
import { listRemoteTools, toTool, type Query } from './tool-set.ts';

/** The part of the queries that have an answer among the first five. */
export async function measureRecall(
  catalog: ToolCatalog,
  queries: readonly Query[],
): Promise<number> {
  let found = 0;
  for (const { text, answers } of queries) {
    const { matches } = await catalog.search(text, defaultMaxResults);
    if (matches.some(({ name }) => answers.includes(name))) found += 1;
  }
  return found / queries.length;
}

/** In milliseconds; `first` is that of the process, if nothing was searched before. */
export async function measureSearch(catalog: ToolCatalog, queries: readonly Query[]) {
  const times: number[] = [];
  for (const { text } of Array.from({ length: 3 }, () => queries).flat()) {
    const start = performance.now();
    await catalog.search(text, defaultMaxResults);
    times.push(performance.now() - start);
  }
  const [first = Number.NaN, ...later] = times;
  return { first, median: median(later), p99: percentile(later, 99) };
}

/** A pool with so many remote tools, all deferred. */
export async function openCatalog(count: number): Promise<ToolCatalog> {
  const others = listRemoteTools(count).map((remote) => toTool(remote));
  const toolParams = createToolParamWriter();
  const pool = await preparePool(
    {
      builtIn: Object.values(coreTools) as unknown as Tools,
      others,
      unchosen: [],
      switches: { toolSearch: true },
      permissions: { mode: 'default', rules: [], additionalWorkingDirectories: new Map() },
    },
    { mode: { type: 'tst' }, model: {}, messages: [], params: toolParams, cwd: '/workspace' },
  );
  return createToolCatalog(pool.tools, pool, { switches: { toolSearch: true }, toolParams });
}
