import { describe, expect, it } from 'vitest';
import { createAnthropicModel } from '../../../src/model/anthropic.ts';
import type { AnthropicModelOptions } from '../../../src/model/anthropic-options.ts';
import { createFakeFetch } from '../../support/models/fake-fetch.ts';

const { signal } = new AbortController();

function modelOf(answer: Response | Error, options: Partial<AnthropicModelOptions> = {}) {
  const fake = createFakeFetch(answer);
  const { fetch, requests } = fake;
  const model = createAnthropicModel({
    model: 'claude-test',
    apiKey: 'sk-test-key',
    fetch,
    ...options,
  });
  return { model, requests };
}

describe('the context window of an Anthropic model', () => {
  it('is asked of the server once, and known from then on', async () => {
    const { model, requests } = modelOf(
      Response.json({ id: 'claude-test', max_input_tokens: 400_000 }),
    );
    expect(model.contextWindow).toBeUndefined();
    expect(await model.findContextWindow?.({ signal })).toBe(400_000);
    expect(await model.findContextWindow?.({ signal })).toBe(400_000);
    expect(model.contextWindow).toBe(400_000);
    expect(requests.map(({ method, url }) => [method.toUpperCase(), url])).toEqual([
      ['GET', 'https://api.anthropic.com/v1/models/claude-test'],
    ]);
    expect(requests[0]?.headers['x-api-key']).toBe('sk-test-key');
  });

  it('is what the option says, and then nobody is asked', async () => {
    const { model, requests } = modelOf(new Error('not to be asked'), { contextWindow: 32_000 });
    expect(await model.findContextWindow?.({ signal })).toBe(32_000);
    expect(requests).toEqual([]);
  });

  it.each([
    ['refuses', new Response('{}', { status: 404 })],
    ['cannot be reached', new TypeError('network lost')],
    ['answers with no JSON', new Response('<html>')],
    ['says no number', Response.json({ max_input_tokens: 'many' })],
  ])('stays unknown where the server %s, and is not asked again', async (_, answer) => {
    const { model, requests } = modelOf(answer);
    expect(await model.findContextWindow?.({ signal })).toBeUndefined();
    expect(await model.findContextWindow?.({ signal })).toBeUndefined();
    expect(model.contextWindow).toBeUndefined();
    expect(requests).toHaveLength(1);
  });

  it('is not waited for by a turn that is stopped', async () => {
    const controller = new AbortController();
    const fetch = () => new Promise<never>(() => undefined);
    const model = createAnthropicModel({ model: 'claude-test', fetch });
    const asked = model.findContextWindow?.(controller);
    controller.abort();
    expect(await asked).toBeUndefined();
  });
});
