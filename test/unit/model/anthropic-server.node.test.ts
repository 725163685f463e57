// What only a real connection shows. The same claims hold for a fake fetch in anthropic.test.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collect } from '../../../src/agent/messages/collect.ts';
import type { SdkError } from '../../../src/core/errors.ts';
import type { ModelEvent } from '../../../src/core/messages/messages.ts';
import { createAnthropicModel } from '../../../src/model/anthropic.ts';
import type { ModelRequest, ModelRetry } from '../../../src/model/model.ts';
import { refusal, startMessagesServer } from '../../support/models/messages-server.ts';
import type { Answer, MessagesServer } from '../../support/models/messages-server.ts';
import { assistantMessage, textEvents, toSse } from '../../support/models/model-streams.ts';
import { createSkippingClock } from '../../support/skipping-clock.ts';
import { readAll } from '../../support/read-all.ts';

const key = 'sk-ant-secret-0123456789';
const hello = textEvents('Hello, é€😀!');
const request: ModelRequest = {
  system: [],
  tools: [],
  messages: [{ role: 'user', content: 'Hi' }],
};

let server: MessagesServer;
beforeAll(async () => {
  server = await startMessagesServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const host = () => new URL(server.url).host;

async function run(answers: readonly Answer[], baseURL = server.url) {
  server.answer(...answers);
  const clock = createSkippingClock();
  const model = createAnthropicModel({ model: 'claude-test', apiKey: key, baseURL, clock });
  const events: ModelEvent[] = [];
  const retries: ModelRetry[] = [];
  let error: SdkError | undefined;
  try {
    const signal = new AbortController().signal;
    const onRetry = (retry: ModelRetry) => retries.push(retry);
    for await (const event of model.stream(request, { signal, onRetry })) events.push(event);
  } catch (thrown) {
    error = thrown as SdkError;
  }
  return { events, retries, error, waits: clock.waits };
}

describe('createAnthropicModel, over HTTP', () => {
  it('reads a stream in any chunking, with LF and CRLF', async () => {
    for (const sizes of [[Infinity], [1], [7], [2, 3, 60]]) {
      for (const crlf of [false, true]) {
        const { events, error } = await run([{ type: 'stream', text: toSse(hello), sizes, crlf }]);
        expect([events, error]).toEqual([hello, undefined]);
      }
    }
    expect(server.requests.at(-1)).toMatchObject({
      method: 'POST',
      path: '/v1/messages',
      headers: { 'x-api-key': key },
      body: { model: 'claude-test', stream: true, messages: request.messages },
    });
  });

  it('takes a message that comes whole', async () => {
    const message = assistantMessage([{ type: 'text', text: 'Hello!' }]);
    const { events } = await run([{ type: 'json', body: message }]);
    const [first, , , , , last] = events;
    expect([first?.type, last?.type, events.length]).toEqual(['message_start', 'message_stop', 6]);
  });

  it('says that the key was refused', async () => {
    const { error, retries } = await run([refusal(401, 'authentication_error', 'invalid key')]);
    expect([error?.code, error?.message, retries]).toEqual([
      'model-authentication',
      `The key was refused by ${host()} (401). Check that it is whole, that it is this server's, ` +
        'and that it is neither revoked nor lacking a permission. The server says: invalid key',
      [],
    ]);
  });

  it('waits as an overloaded server asks, and tries again', async () => {
    const overloaded = refusal(529, 'overloaded_error', 'Overloaded', { 'retry-after': '2' });
    const { events, waits } = await run([
      overloaded,
      refusal(529, 'overloaded_error', 'Overloaded'),
      { type: 'stream', text: toSse(hello) },
    ]);
    expect(events).toEqual(hello);
    expect(waits[0]).toBe(2000);
    expect(waits[1]).toBeGreaterThanOrEqual(750);
    expect(waits[1]).toBeLessThanOrEqual(1000);
  });

  it('gives up on a server that stays overloaded', async () => {
    const overloaded = refusal(529, 'overloaded_error', 'Overloaded');
    const { error, retries } = await run([overloaded, overloaded, overloaded, overloaded]);
    expect([error?.code, retries.length]).toEqual(['model-overloaded', 3]);
  });

  it('tries again when the connection breaks before the answer', async () => {
    const { events, retries } = await run([
      { type: 'break' },
      { type: 'stream', text: toSse(hello) },
    ]);
    expect(events).toEqual(hello);
    expect(retries.map((retry) => retry.error.code)).toEqual(['model-network']);
  });

  it('says that nobody listens there', async () => {
    const gone = await startMessagesServer();
    await gone[Symbol.asyncDispose]();
    const { error } = await run([], gone.url);
    expect(error).toMatchObject({
      code: 'model-network',
      data: { host: new URL(gone.url).host, reason: 'ECONNREFUSED' },
    });
  });

  it('gives what came whole before the connection broke, and says that it broke', async () => {
    const text = toSse(hello);
    const answer: Answer = { type: 'stream', text: text.slice(0, -40), sizes: [50], ending: 'cut' };
    const { events, error, retries } = await run([answer]);
    expect(events).toEqual(hello.slice(0, -1));
    expect([error?.code, retries]).toEqual(['model-stream-cut', []]);
  });

  it('ends the HTTP request at once when it is aborted', async () => {
    const text = toSse(hello.slice(0, 2));
    server.answer({ type: 'stream', text, ending: 'stall' });
    const model = createAnthropicModel({ model: 'm', apiKey: key, baseURL: server.url });
    const controller = new AbortController();
    const items = collect(model.stream(request, { signal: controller.signal }));
    const reading = readAll(items);
    while (!items.partial()) await new Promise((resolve) => setImmediate(resolve));
    controller.abort('enough');
    await expect(reading).rejects.toMatchObject({ code: 'aborted', cause: 'enough' });
    expect(await server.requests.at(-1)?.leftEarly).toBe(true);
  });
});

describe('countTokens, over HTTP', () => {
  const whole: ModelRequest = {
    system: [{ type: 'text', text: 'Be brief.' }],
    tools: [{ name: 'Look', description: 'Looks.', input_schema: { type: 'object' } }],
    messages: [{ role: 'user', content: 'Hi' }],
  };

  function count(answer: Answer, signal = new AbortController().signal) {
    server.answer(answer);
    const model = createAnthropicModel({ model: 'claude-test', apiKey: key, baseURL: server.url });
    return model.countTokens?.(whole, { signal });
  }

  it('asks the server for the input of a request, as it would be sent', async () => {
    expect(await count({ type: 'json', body: { input_tokens: 421 } })).toBe(421);
    expect(server.requests.at(-1)).toMatchObject({
      path: '/v1/messages/count_tokens',
      headers: { 'x-api-key': key },
    });
    expect(server.requests.at(-1)?.body).toEqual({ model: 'claude-test', ...whole });
  });

  it.each<readonly [string, Answer]>([
    ['model-protocol', { type: 'json', body: { input_tokens: 'many' } }],
    ['model-protocol', { type: 'json', body: null }],
    ['model-authentication', refusal(401, 'authentication_error', 'invalid key')],
    ['model-network', { type: 'break' }],
  ])('rejects with %s for %j', async (code, answer) => {
    await expect(count(answer)).rejects.toMatchObject({ code });
  });

  it('asks nobody once it is aborted', async () => {
    const before = server.requests.length;
    const model = createAnthropicModel({ model: 'claude-test', apiKey: key, baseURL: server.url });
    await expect(model.countTokens?.(whole, { signal: AbortSignal.abort() })).rejects.toMatchObject(
      { code: 'aborted' },
    );
    expect(server.requests.length).toBe(before);
  });
});
