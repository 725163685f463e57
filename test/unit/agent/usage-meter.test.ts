import { describe, expect, it } from 'vitest';
import { createSpending } from '../../../src/agent/session/spending.ts';
import { createUsageMeter } from '../../../src/agent/session/usage-meter.ts';
import type { CountedRequest } from '../../../src/agent/session/usage-meter.ts';
import type { Usage } from '../../../src/core/messages/messages.ts';
import { toPrices } from '../../../src/model/pricing.ts';

const list = toPrices(undefined);
const given = toPrices({ mine: { input: 1, output: 10, cacheRead: 0 } });

const request = (
  model: string,
  usage: Usage,
  changes: Partial<CountedRequest> = {},
): CountedRequest => ({
  requestId: 'msg_1',
  purpose: 'turn',
  model,
  askedModel: model,
  usage,
  apiMs: 10,
  ...changes,
});

describe('createUsageMeter', () => {
  it('sums tokens by turn, and money by model over the whole', () => {
    const meter = createUsageMeter(list);
    const usage = { input_tokens: 1_000_000, output_tokens: 100_000 };
    meter.add(request('claude-haiku-4-5', usage));
    meter.startTurn();
    meter.add(request('claude-haiku-4-5', { ...usage, cache_read_input_tokens: 1_000_000 }));
    meter.add(request('own-model', { input_tokens: 1, output_tokens: 2 }, { apiMs: 5 }));
    expect(meter.turnUsage()).toEqual({
      input_tokens: 1_000_001,
      output_tokens: 100_002,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 1_000_000,
    });
    expect(meter.turnApiMs()).toBe(15);
    expect(meter.modelUsage()).toEqual({
      'claude-haiku-4-5': {
        inputTokens: 2_000_000,
        outputTokens: 200_000,
        cacheReadInputTokens: 1_000_000,
        cacheCreationInputTokens: 0,
        costUSD: 3.1,
        costBasis: 'list',
      },
      'own-model': {
        inputTokens: 1,
        outputTokens: 2,
        cacheReadInputTokens: 0,
        cacheCreationInputTokens: 0,
        costUSD: 0,
        costBasis: 'unknown',
      },
    });
    expect(meter.totalCostUsd()).toBeCloseTo(3.1);
  });

  it('makes the entry of each request, with what it was for and where the price comes from', () => {
    const usage = { input_tokens: 1_000_000, output_tokens: 100_000 };
    const entry = { requestId: 'msg_1', purpose: 'classifier', usage } as const;
    const asked = { purpose: 'classifier', askedModel: 'mine' } as const;
    const meter = createUsageMeter(given);
    expect(meter.add(request('mine', usage, asked))).toEqual({
      type: 'usage',
      ...entry,
      model: 'mine',
      usd: 2,
      basis: 'given',
      apiMs: 10,
    });
    // A proxy may name the same model otherwise.
    expect(meter.add(request('mine@eu', usage, asked))).toMatchObject({ usd: 2, basis: 'given' });
    const other = request('claude-haiku-4-5', usage, { purpose: 'classifier' });
    expect(meter.add(other)).toMatchObject({ usd: 0, basis: 'unknown' });
    expect(meter.totalCostUsd()).toBe(4);
  });

  it('counts what a server leaves out, or can’t mean, as nothing', () => {
    const meter = createUsageMeter(list);
    meter.add(request('m', { input_tokens: -1, output_tokens: 'x' } as never));
    expect(meter.turnUsage()).toEqual({
      input_tokens: 0,
      output_tokens: 0,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    });
  });
});

describe('createSpending', () => {
  it('is spent from the budget on', () => {
    let cost = 0.5;
    const spending = createSpending(1, given, { totalCostUsd: () => cost });
    expect(spending.isSpent()).toBe(false);
    cost = 1;
    expect(spending.isSpent()).toBe(true);
    const without = createSpending(undefined, given, { totalCostUsd: () => cost });
    expect(without.isSpent()).toBe(false);
  });

  it('refuses a model without a known price, where there is a budget', () => {
    const usage = { totalCostUsd: () => 0 };
    createSpending(1, given, usage).checkModel('mine');
    createSpending(undefined, given, usage).checkModel('other');
    expect(() => createSpending(1, given, usage).checkModel('other')).toThrow(
      'The price of other isn\'t known, so maxBudgetUsd can\'t be held. Give it as prices: { "other": ',
    );
  });
});
