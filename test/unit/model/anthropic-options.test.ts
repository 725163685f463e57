import { describe, expect, it } from 'vitest';
import type { SdkError } from '../../../src/core/errors.ts';
import { createAnthropicModel } from '../../../src/model/anthropic.ts';
import type { AnthropicModelOptions } from '../../../src/model/anthropic-options.ts';

/** The code and the reason of the refusal; undefined when the options are taken. */
function refusalOf(options: Partial<AnthropicModelOptions>): string | undefined {
  try {
    createAnthropicModel({ model: 'claude-test', ...options });
    return undefined;
  } catch (error) {
    const { code, message } = error as SdkError;
    return message.replace('createAnthropicModel', code);
  }
}

describe('what the model says of itself', () => {
  it.each<[Partial<AnthropicModelOptions>, boolean]>([
    [{ model: 'claude-sonnet-4-5-20250929' }, true],
    [{ model: 'claude-opus-5' }, true],
    [{ model: 'claude-fable-5-2' }, true],
    // The API has refused them for it, or nobody has said.
    [{ model: 'claude-haiku-4-5' }, false],
    [{ model: 'claude-3-5-sonnet-latest' }, false],
    [{ model: 'claude-3-opus-20240229' }, false],
    [{ model: 'other' }, false],
    [{ model: 'claude-sonnet-5', baseURL: 'https://proxy.example' }, false],
    [{ model: 'claude-sonnet-5', baseURL: 'https://proxy.example', toolReferences: true }, true],
    [{ model: 'claude-sonnet-5', toolReferences: false }, false],
  ])('takes tool references as %j: %j', (options, takes) => {
    expect(createAnthropicModel({ model: 'm', ...options }).toolReferences).toBe(takes);
  });

  it.each<[Partial<AnthropicModelOptions>, number | undefined]>([
    [{}, undefined],
    [{ headers: { 'Anthropic-Beta': 'a,context-1m-2025-08-07' } }, 1_000_000],
    [{ headers: { 'anthropic-beta': 'a' } }, undefined],
    [{ contextWindow: 32_000 }, 32_000],
  ])('has the window of %j: %j', (options, window) => {
    expect(createAnthropicModel({ model: 'm', ...options }).contextWindow).toBe(window);
  });
});

describe('checkAnthropicOptions', () => {
  it.each<[Partial<AnthropicModelOptions>, string | undefined]>([
    [{}, undefined],
    [{ apiKey: ' sk-pasted\n' }, undefined],
    [{ model: ' ' }, "model needs the model's id, such as claude-sonnet-5-5."],
    [{ apiKey: '' }, 'apiKey is empty: leave it out when a proxy holds the key.'],
    [
      { apiKey: 'sk-one\nsk-two' },
      'apiKey contains a blank, a line break or a letter that no key has: copy it again.',
    ],
    [{ apiKey: 'a', authToken: 'b' }, 'authToken takes the place of apiKey: give one of the two.'],
    [{ effort: 'much' as 'max' }, 'effort is one of low, medium, high, xhigh, max.'],
    [{ headers: { 'bad name': 'x' } }, 'headers has a bad name, bad name.'],
    [{ headers: { good: 'x\ny' } }, "headers has a value for good that can't be sent as a header."],
    [{ baseURL: 'http://' }, 'baseURL is no URL: write it like https://host or https://host/path.'],
    [{ baseURL: 'ftp://host' }, 'baseURL must begin with https: or http:, not ftp:.'],
    [{ baseURL: 'https://me:secret@host' }, 'baseURL must not carry a name or password.'],
    [{ baseURL: 'https://host/?a=1' }, 'baseURL must end with its path, without ? and #.'],
    [{ thinking: { type: 'enabled', budget_tokens: 4_000 } }, undefined],
    [
      { thinking: { type: 'enabled', budget_tokens: 16_384 } },
      'thinking.budget_tokens must be less than maxTokens (16384), since thinking is part of the reply.',
    ],
    [
      { maxTokens: 1_000, thinking: { type: 'enabled', budget_tokens: 0.5 } },
      'thinking.budget_tokens must be a whole number from 1.',
    ],
    [
      {
        thinking: { type: 'enabled', budget_tokens: 30_000 },
        headers: { 'anthropic-beta': 'interleaved-thinking-2025-05-14' },
      },
      undefined,
    ],
    [{ maxTokens: 0 }, 'maxTokens must be a whole number from 1.'],
    [{ contextWindow: 0 }, 'contextWindow must be a whole number from 1.'],
    [{ maxRetries: -1 }, 'maxRetries must be a whole number from 0.'],
    [{ silenceLimitMs: Number.NaN }, 'silenceLimitMs must be a whole number from 1.'],
  ])('answers %j with %j', (options, refusal) => {
    expect(refusalOf(options)).toBe(refusal && `bad-usage: ${refusal}`);
  });
});
