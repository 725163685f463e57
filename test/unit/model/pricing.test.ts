import { describe, expect, it } from 'vitest';
import { findListPrice } from '../../../src/model/list-prices.ts';
import { costOf, toPrices } from '../../../src/model/pricing.ts';

const million = { input_tokens: 1_000_000, output_tokens: 1_000_000 };
const written = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 2_000_000,
  cache_creation: { ephemeral_5m_input_tokens: 1e6, ephemeral_1h_input_tokens: 1e6 },
  cache_read_input_tokens: 1_000_000,
};

describe('the list', () => {
  it.each([
    ['claude-fable-5', 60],
    ['claude-opus-5', 30],
    ['claude-opus-4-8', 30],
    ['claude-opus-4-1-20250805', 90],
    ['claude-opus-4-20250514', 90],
    ['claude-sonnet-5', 12],
    ['claude-sonnet-4-5-20250929', 18],
    ['claude-haiku-4-5', 6],
    ['claude-3-5-haiku-latest', 4.8],
  ])('has the price of %s', (model, usd) => {
    const price = findListPrice(model);
    expect(price && costOf(million, price)).toBe(usd);
  });

  it.each([
    ['claude-sonnet-5-5', 12 + 0.1],
    ['claude-opus-5-5', 24 + 0.2],
    ['claude-fable-5-1', 60 + 0.25],
    ['claude-sonnet-5', 12 + 0.2],
  ])('has what the cache of %s is read for', (model, usd) => {
    const price = findListPrice(model);
    expect(price && costOf({ ...million, cache_read_input_tokens: 1e6 }, price)).toBeCloseTo(usd);
  });

  it.each(['scripted', 'gpt-oss', 'claude-opus-4-9', 'claude-haiku-5-5', 'claude'])(
    'has none of %s',
    (model) => {
      expect(findListPrice(model)).toBeUndefined();
    },
  );
});

describe('costOf', () => {
  it('counts cache writes by their lifetime, and cache reads, as parts of the input’s price', () => {
    expect(costOf(written, { input: 1, output: 5 })).toBe(1.25 + 2 + 0.1);
  });

  it('counts them at prices of their own, where there are any', () => {
    const price = { input: 1, output: 5, cacheRead: 7, cacheWrite: 20, cacheWriteHour: 300 };
    expect(costOf(written, price)).toBe(327);
  });
});

describe('toPrices', () => {
  it('takes given prices in place of the whole list', async () => {
    const prices = toPrices({ mine: { input: 1, output: 2 } });
    expect(prices.basis).toBe('given');
    expect(prices.find('mine')).toEqual({ input: 1, output: 2 });
    expect(prices.find('claude-haiku-4-5')).toBeUndefined();
    expect(prices.find('toString')).toBeUndefined();
    expect(toPrices(undefined).basis).toBe('list');
  });
});
