import { describe, expect, it } from 'vitest';
import { costOf } from '../../../src/model/pricing.ts';

const million = { input_tokens: 1_000_000, output_tokens: 1_000_000 };

describe('costOf', () => {
  it.each([
    ['claude-fable-5', 60],
    ['claude-opus-4-8', 30],
    ['claude-opus-4-1-20250805', 90],
    ['claude-opus-4-20250514', 90],
    ['claude-sonnet-5', 12],
    ['claude-sonnet-4-5-20250929', 18],
    ['claude-haiku-4-5', 6],
    ['claude-3-5-haiku-latest', 4.8],
  ])('knows the list price of %s', (model, usd) => {
    expect(costOf(model, million)).toEqual({ usd, known: true });
  });

  it.each(['scripted', 'gpt-oss', 'claude-opus-4-9', 'claude-sonnet-5-5', 'claude'])(
    'says that it does not know the price of %s',
    (model) => {
      expect(costOf(model, million)).toEqual({ usd: 0, known: false });
    },
  );

  it('counts cache writes by their lifetime, and cache reads', () => {
    const usage = {
      input_tokens: 0,
      output_tokens: 0,
      cache_creation_input_tokens: 2_000_000,
      cache_creation: { ephemeral_5m_input_tokens: 1e6, ephemeral_1h_input_tokens: 1e6 },
      cache_read_input_tokens: 1_000_000,
    };
    expect(costOf('claude-haiku-4-5', usage)).toEqual({ usd: 1.25 + 2 + 0.1, known: true });
  });
});
