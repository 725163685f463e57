// The cost of a request, from its usage and its model's price. An unlisted model's price counts as
// unknown and is never guessed. Used by the usage meter.
import { isRecord } from '../core/values/is-record.ts';
import type { Usage } from '../core/messages/messages.ts';
import { findListPrice } from './list-prices.ts';

/** US dollars per million tokens, by kind. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Input read from the cache. @defaultValue a tenth of `input` */
  readonly cacheRead?: number;
  /** Input written to the cache for five minutes. @defaultValue 1.25 times `input` */
  readonly cacheWrite?: number;
  /** Input written to the cache for an hour. @defaultValue twice `input` */
  readonly cacheWriteHour?: number;
  /**
   * US dollars per thousand web searches by the server. @defaultValue 10, as Anthropic publishes
   */
  readonly webSearch?: number;
}

/** The prices of a session. */
export interface Prices {
  readonly basis: 'list' | 'given';
  /** Undefined for a model without a known price. */
  find(model: string): ModelPrice | undefined;
}

/** The given prices replace the whole list. */
export function toPrices(given: Readonly<Record<string, ModelPrice>> | undefined): Prices {
  if (!given) return { basis: 'list', find: findListPrice };
  const byModel = new Map(Object.entries(given));
  return { basis: 'given', find: (model) => byModel.get(model) };
}

/** In US dollars. It doesn't include the server's other tools and long-context surcharges. */
export function costOf(usage: Usage, price: ModelPrice): number {
  const { input, output, cacheRead = input * 0.1 } = price;
  const { cacheWrite = input * 1.25, cacheWriteHour = input * 2, webSearch = 10 } = price;
  const written = usage.cache_creation_input_tokens ?? 0;
  const writtenForAnHour = Math.min(countHourWrites(usage), written);
  const micros =
    usage.input_tokens * input +
    (written - writtenForAnHour) * cacheWrite +
    writtenForAnHour * cacheWriteHour +
    (usage.cache_read_input_tokens ?? 0) * cacheRead +
    usage.output_tokens * output;
  return micros / 1_000_000 + (countSearches(usage) * webSearch) / 1_000;
}

/** The number of web searches by the server. */
export function countSearches(usage: Usage): number {
  const counters = usage['server_tool_use'];
  const count = isRecord(counters) ? counters['web_search_requests'] : undefined;
  return typeof count === 'number' && count > 0 ? count : 0;
}

function countHourWrites(usage: Usage): number {
  const detail = usage['cache_creation'];
  if (typeof detail !== 'object' || detail === null) return 0;
  const { ephemeral_1h_input_tokens: count } = detail as { ephemeral_1h_input_tokens?: unknown };
  return typeof count === 'number' ? count : 0;
}
