// Tokens, money and time of a query: summed over each turn for its `result`, and by model over the
// whole. Fed by `loop.ts` after each request, finished or cut.
import type { Usage } from '../../core/messages.ts';
import type { ModelUsage } from '../../core/sdk-message.ts';
import { costOf } from '../../model/pricing.ts';

/** What a query has used so far. */
export interface UsageMeter {
  /** Sets the turn's own counters back. */
  startTurn(): void;
  add(model: string, usage: Usage, apiMs: number): void;
  /** The turn's tokens. */
  turnUsage(): Usage;
  turnApiMs(): number;
  /** By model, over the whole query. */
  modelUsage(): Record<string, ModelUsage>;
  /** US dollars at list prices, over the whole query. Models without a known price add nothing. */
  totalCostUsd(): number;
}

const noUsage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

/** Begins at nothing. A cut request counts with what its last event said. */
export function createUsageMeter(): UsageMeter {
  const byModel = new Map<string, ModelUsage>();
  let turn = { ...noUsage };
  let apiMs = 0;
  return {
    startTurn() {
      turn = { ...noUsage };
      apiMs = 0;
    },
    add(model, usage, ms) {
      // By the model that answered, which may be another than the one that was asked.
      const counted = count(usage);
      apiMs += ms;
      turn = {
        input_tokens: turn.input_tokens + counted.input_tokens,
        output_tokens: turn.output_tokens + counted.output_tokens,
        cache_creation_input_tokens:
          turn.cache_creation_input_tokens + counted.cache_creation_input_tokens,
        cache_read_input_tokens: turn.cache_read_input_tokens + counted.cache_read_input_tokens,
      };
      const cost = costOf(model, { ...usage, ...counted });
      const before = byModel.get(model);
      byModel.set(model, {
        inputTokens: (before?.inputTokens ?? 0) + counted.input_tokens,
        outputTokens: (before?.outputTokens ?? 0) + counted.output_tokens,
        cacheReadInputTokens: (before?.cacheReadInputTokens ?? 0) + counted.cache_read_input_tokens,
        cacheCreationInputTokens:
          (before?.cacheCreationInputTokens ?? 0) + counted.cache_creation_input_tokens,
        costUSD: (before?.costUSD ?? 0) + cost.usd,
        costBasis: cost.known ? 'list' : 'unknown',
      });
    },
    turnUsage: () => turn,
    turnApiMs: () => apiMs,
    modelUsage: () => Object.fromEntries(byModel),
    totalCostUsd: () => [...byModel.values()].reduce((sum, { costUSD }) => sum + costUSD, 0),
  };
}

/** The four counters as numbers, whatever a Messages-compatible server left out. */
function count(usage: Usage): typeof noUsage {
  const read = (value: unknown) => (typeof value === 'number' && value >= 0 ? value : 0);
  return {
    input_tokens: read(usage.input_tokens),
    output_tokens: read(usage.output_tokens),
    cache_creation_input_tokens: read(usage.cache_creation_input_tokens),
    cache_read_input_tokens: read(usage.cache_read_input_tokens),
  };
}
