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
    [{ headers: { 'bad name': 'x' } }, 'headers has a bad name, bad name.'],
    [{ headers: { good: 'x\ny' } }, "headers has a value for good that can't be sent as a header."],
    [{ baseURL: 'http://' }, 'baseURL is no URL: write it like https://host or https://host/path.'],
    [{ baseURL: 'ftp://host' }, 'baseURL must begin with https: or http:, not ftp:.'],
    [{ baseURL: 'https://me:secret@host' }, 'baseURL must not carry a name or password.'],
    [{ baseURL: 'https://host/?a=1' }, 'baseURL must end with its path, without ? and #.'],
    [{ maxTokens: 0 }, 'maxTokens must be a whole number from 1.'],
    [{ maxRetries: -1 }, 'maxRetries must be a whole number from 0.'],
    [{ silenceLimitMs: Number.NaN }, 'silenceLimitMs must be a whole number from 1.'],
  ])('answers %j with %j', (options, refusal) => {
    expect(refusalOf(options)).toBe(refusal && `bad-usage: ${refusal}`);
  });
});
