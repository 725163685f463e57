import { describe, expect, it } from 'vitest';
import { createUsageMeter } from '../../../src/agent/session/usage-meter.ts';

describe('createUsageMeter', () => {
  it('sums tokens by turn, and money by model over the whole', () => {
    const meter = createUsageMeter();
    const usage = { input_tokens: 1_000_000, output_tokens: 100_000 };
    meter.add('claude-haiku-4-5', usage, 10);
    meter.startTurn();
    meter.add('claude-haiku-4-5', { ...usage, cache_read_input_tokens: 1_000_000 }, 20);
    meter.add('own-model', { input_tokens: 1, output_tokens: 2 }, 5);
    expect(meter.turnUsage()).toEqual({
      input_tokens: 1_000_001,
      output_tokens: 100_002,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 1_000_000,
    });
    expect(meter.turnApiMs()).toBe(25);
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

  it('counts what a server leaves out, or can’t mean, as nothing', () => {
    const meter = createUsageMeter();
    meter.add('m', { input_tokens: -1, output_tokens: 'x' } as never, 0);
    expect(meter.turnUsage()).toEqual({
      input_tokens: 0,
      output_tokens: 0,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    });
  });
});
