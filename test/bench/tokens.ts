// `npm run bench -- tokens`: what the model is given before it has done anything, and what of it a
// prompt cache keeps. It also measures whether ToolSearch finds what is meant. What each metric is
// stands in tokens/notes.ts.
import type { BenchResult } from '../../scripts/bench.ts';
import { goals } from './tokens/goals.ts';
import { measureCache } from './tokens/measure-cache.ts';
import { measureDefinitions } from './tokens/measure-definitions.ts';
import { measureRecall, measureSearch, openCatalog } from './tokens/measure-search.ts';
import { notes } from './tokens/notes.ts';
import { readQueries } from './tokens/tool-set.ts';

export async function bench(): Promise<BenchResult> {
  const tune = readQueries('tune');
  const final = readQueries('final');
  const large = await openCatalog(5_000);
  // Before all else of ToolSearch, for the first search loads it.
  const search = await measureSearch(large, tune);
  const small = await openCatalog(500);
  const { system, coreTools, deferred, inline } = await measureDefinitions();
  const native = await measureCache(true);
  const plain = await measureCache(false);
  return {
    goals,
    notes,
    metrics: {
      initial_core: system + coreTools,
      initial_core_system: system,
      initial_core_tools: coreTools,
      deferred_share_500: deferred / inline,
      deferred_500_tokens: deferred,
      inline_500_tokens: inline,
      cache_eligible: native.eligible,
      cache_eligible_wire: native.wire,
      cache_eligible_plain: plain.eligible,
      recall5_500: await measureRecall(small, [...tune, ...final]),
      recall5_500_tune: await measureRecall(small, tune),
      recall5_500_final: await measureRecall(small, final),
      recall5_5000: await measureRecall(large, [...tune, ...final]),
      recall5_5000_tune: await measureRecall(large, tune),
      recall5_5000_final: await measureRecall(large, final),
      search_ms_5000: search.median,
      search_p99_ms_5000: search.p99,
      search_first_ms_5000: search.first,
    },
  };
}
