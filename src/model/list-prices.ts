// The published list prices, for a session without its own prices.
import type { ModelPrice } from './pricing.ts';

type Listed = readonly [model: RegExp, input: number, output: number, cacheRead?: number];

/**
 * US dollars per million tokens: input, output, and reading from the cache if that isn't a tenth of
 * the input. Anthropic's list prices as read on 2026-11-29, without discounts. Models whose prices
 * couldn't be confirmed twice are left out. So is Haiku 5.5, whose price depends on the prompt's
 * length.
 */
const listPrices: readonly Listed[] = [
  [/^claude-(fable|mythos)-5-1$/, 10, 50, 0.25],
  [/^claude-(fable|mythos)-5$/, 10, 50],
  [/^claude-opus-5-5$/, 4, 20, 0.2],
  [/^claude-opus-5$/, 5, 25],
  [/^claude-opus-4-[5-8]$/, 5, 25],
  [/^claude-opus-4(-[01])?$/, 15, 75],
  [/^claude-sonnet-5-5$/, 2, 10, 0.1],
  [/^claude-sonnet-5$/, 2, 10],
  [/^claude-sonnet-4(-[056])?$/, 3, 15],
  [/^claude-haiku-4-5$/, 1, 5],
  [/^claude-3-[57]-sonnet$/, 3, 15],
  [/^claude-3-5-haiku$/, 0.8, 4],
  [/^claude-3-opus$/, 15, 75],
  [/^claude-3-haiku$/, 0.25, 1.25],
];

/** Undefined for a model that isn't listed. Its price counts as unknown and is never guessed. */
export function findListPrice(model: string): ModelPrice | undefined {
  // Dated ids name the same model: claude-haiku-4-5-20251001.
  const undated = model.replace(/-(\d{8}|latest)$/, '');
  const listed = listPrices.find(([listedModel]) => listedModel.test(undated));
  if (!listed) return undefined;
  const [, input, output, cacheRead] = listed;
  return { input, output, ...(cacheRead !== undefined && { cacheRead }) };
}
