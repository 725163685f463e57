// What a text is reserved as in the model proxy's budget, and what of an image isn't text.
import { expect, it } from 'vitest';
import { estimateTokens } from '../../../src/hosts/edge/proxy/estimate-tokens.ts';
import { judgeBody } from '../../../src/hosts/edge/proxy/judge-model-request.ts';
import { createUsageReader } from '../../../src/hosts/edge/proxy/read-usage.ts';
import { textEvents, toSse } from '../../support/models/model-streams.ts';

it('is a token for three characters of ASCII, and two for each other one', () => {
  expect([estimateTokens('abcdef'), estimateTokens('雨'), estimateTokens('雨abc')]).toEqual([
    2, 2, 3,
  ]);
});

const limits = {
  models: ['m'],
  paths: [],
  betas: [],
  toolTypes: [],
  maxTokens: 10,
  maxImages: 1,
  maxImageBytes: 100_000,
  hasBudget: true,
};

const reservedFor = (content: unknown) => {
  const body = { model: 'm', max_tokens: 1, messages: [{ role: 'user', content }] };
  const judged = judgeBody(new TextEncoder().encode(JSON.stringify(body)), '/v1/messages', limits);
  return 'inputTokens' in judged ? judged.inputTokens : judged.reason;
};

it('is reserved for a request, and an image as an image', () => {
  expect(reservedFor('雨'.repeat(10_000))).toBeGreaterThanOrEqual(20_000);
  const source = { type: 'base64', media_type: 'image/png', data: 'A'.repeat(90_000) };
  expect(reservedFor([{ type: 'image', source }])).toBeLessThan(2_000);
});

it('is what an answer came to that was cut', () => {
  const reader = createUsageReader(true, 1);
  const [half] = toSse(textEvents('雨'.repeat(1_000))).split('event: message_delta');
  reader.push(new TextEncoder().encode(half));
  expect(reader.read()).toMatchObject({ isEstimated: true, usage: { output_tokens: 2_000 } });
});
