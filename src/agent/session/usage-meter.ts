// Counts tokens, cost and time of a query: per turn for its `result`, and by model for the whole
// query. Each request is added after its end, whether it was completed or aborted.
import type { UsageRecord } from '../../core/session/journal.ts';
import type { Usage } from '../../core/messages/messages.ts';
import type { ModelUsage } from '../../core/messages/sdk-message.ts';
import { costOf, countSearches } from '../../model/pricing.ts';
import type { Prices } from '../../model/pricing.ts';

/** One answered request. */
export interface CountedRequest {
  /** The message's id, as the server gave it. */
  readonly requestId: string;
  readonly purpose: UsageRecord['purpose'];
  /** The model that answered. It may differ from the one that was asked. */
  readonly model: string;
  /** The model whose price is used if the price of `model` isn't known. */
  readonly askedModel: string;
  readonly usage: Usage;
  readonly apiMs: number;
}

/** The usage of a query so far. */
export interface UsageMeter {
  /** Resets the counters of the turn. */
  startTurn(): void;
  /**
   * Adds a request and creates its record. Every request passes here exactly once, and only this
   * method creates such records.
   */
  add(request: CountedRequest): UsageRecord;
  /** Adds a request that is already in the journal. */
  restore(record: UsageRecord): void;
  /** The turn's tokens. */
  turnUsage(): Usage;
  turnApiMs(): number;
  /** The usage by model, over the whole query. */
  modelUsage(): Record<string, ModelUsage>;
  /** US dollars, over the whole query. Models without a known price add nothing. */
  totalCostUsd(): number;
}

const noUsage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

/**
 * Starts at zero. An aborted request counts with the usage of its last event. `whole`: for a
 * sub-agent the session's meter, which counts its requests too.
 */
export function createUsageMeter(prices: Prices, whole?: UsageMeter): UsageMeter {
  const byModel = new Map<string, ModelUsage>();
  let turn = { ...noUsage };
  let apiMs = 0;

  /** Adds to the sums of the turn and of the query. */
  function count({ model, usage, usd, basis, apiMs: ms }: UsageRecord): void {
    apiMs += ms;
    const counted = readCounters(usage);
    turn = {
      input_tokens: turn.input_tokens + counted.input_tokens,
      output_tokens: turn.output_tokens + counted.output_tokens,
      cache_creation_input_tokens:
        turn.cache_creation_input_tokens + counted.cache_creation_input_tokens,
      cache_read_input_tokens: turn.cache_read_input_tokens + counted.cache_read_input_tokens,
    };
    const before = byModel.get(model);
    const searches = (before?.webSearchRequests ?? 0) + countSearches(usage);
    byModel.set(model, {
      inputTokens: (before?.inputTokens ?? 0) + counted.input_tokens,
      outputTokens: (before?.outputTokens ?? 0) + counted.output_tokens,
      cacheReadInputTokens: (before?.cacheReadInputTokens ?? 0) + counted.cache_read_input_tokens,
      cacheCreationInputTokens:
        (before?.cacheCreationInputTokens ?? 0) + counted.cache_creation_input_tokens,
      ...(searches > 0 && { webSearchRequests: searches }),
      costUSD: (before?.costUSD ?? 0) + usd,
      costBasis: basis,
    });
  }

  return {
    startTurn() {
      turn = { ...noUsage };
      apiMs = 0;
    },
    add({ askedModel, ...request }) {
      const { model, usage } = request;
      const price = prices.find(model) ?? prices.find(askedModel);
      const record: UsageRecord = {
        type: 'usage',
        ...request,
        usd: price ? costOf({ ...usage, ...readCounters(usage) }, price) : 0,
        basis: price ? prices.basis : 'unknown',
      };
      count(record);
      whole?.restore(record);
      return record;
    },
    restore: count,
    turnUsage: () => turn,
    turnApiMs: () => apiMs,
    modelUsage: () => Object.fromEntries(byModel),
    totalCostUsd: () => [...byModel.values()].reduce((sum, { costUSD }) => sum + costUSD, 0),
  };
}

/** The four counters as numbers. A Messages-compatible server may leave some out. */
function readCounters(usage: Usage): typeof noUsage {
  const read = (value: unknown) => (typeof value === 'number' && value >= 0 ? value : 0);
  return {
    input_tokens: read(usage.input_tokens),
    output_tokens: read(usage.output_tokens),
    cache_creation_input_tokens: read(usage.cache_creation_input_tokens),
    cache_read_input_tokens: read(usage.cache_read_input_tokens),
  };
}
