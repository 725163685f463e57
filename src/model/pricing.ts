// The cost of a request, from its usage and the published list prices. The cost of an unlisted
// model is "unknown", never a guess.
import type { Usage } from '../core/messages.ts';

/**
 * US dollars a million tokens, input and output: Anthropic's list prices as read on 2026-11-21,
 * without discounts. Models whose prices we couldn't confirm twice are left out.
 */
const listPrices: readonly (readonly [model: RegExp, input: number, output: number])[] = [
  [/^claude-(fable|mythos)-5$/, 10, 50],
  [/^claude-opus-4-[5-8]$/, 5, 25],
  [/^claude-opus-4(-[01])?$/, 15, 75],
  [/^claude-sonnet-5$/, 2, 10],
  [/^claude-sonnet-4(-[056])?$/, 3, 15],
  [/^claude-haiku-4-5$/, 1, 5],
  [/^claude-3-[57]-sonnet$/, 3, 15],
  [/^claude-3-5-haiku$/, 0.8, 4],
  [/^claude-3-opus$/, 15, 75],
  [/^claude-3-haiku$/, 0.25, 1.25],
];

/** What one request costs at list prices. */
export interface Cost {
  readonly usd: number;
  /** False where the model's price isn't known; `usd` is then 0. */
  readonly known: boolean;
}

/** The list price of one request. Server-side tools and long-context surcharges aren't in it. */
export function costOf(model: string, usage: Usage): Cost {
  // Dated ids name the same model: claude-haiku-4-5-20251001.
  const undated = model.replace(/-(\d{8}|latest)$/, '');
  const listed = listPrices.find(([listedModel]) => listedModel.test(undated));
  if (!listed) return { usd: 0, known: false };
  const [, input, output] = listed;
  const written = usage.cache_creation_input_tokens ?? 0;
  const writtenForAnHour = Math.min(countHourWrites(usage), written);
  const micros =
    usage.input_tokens * input +
    // A cache write costs 1.25 times the input for five minutes, twice for an hour; a read a tenth.
    (written - writtenForAnHour) * input * 1.25 +
    writtenForAnHour * input * 2 +
    (usage.cache_read_input_tokens ?? 0) * input * 0.1 +
    usage.output_tokens * output;
  return { usd: micros / 1_000_000, known: true };
}

function countHourWrites(usage: Usage): number {
  const detail = usage['cache_creation'];
  if (typeof detail !== 'object' || detail === null) return 0;
  const { ephemeral_1h_input_tokens: count } = detail as { ephemeral_1h_input_tokens?: unknown };
  return typeof count === 'number' ? count : 0;
}
