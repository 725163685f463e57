import { describe, expect, it } from 'vitest';
import { toSerializedError } from '../../../src/core/errors.ts';
import type { SdkError } from '../../../src/core/errors.ts';
import type { ModelEvent } from '../../../src/core/messages/messages.ts';
import { createAnthropicModel } from '../../../src/model/anthropic.ts';
import type { AnthropicModelOptions } from '../../../src/model/anthropic-options.ts';
import type { ModelRequest, ModelRetry } from '../../../src/model/model.ts';
import { createFakeFetch, jsonResponse, streamResponse } from '../../support/models/fake-fetch.ts';
import {
  assistantMessage,
  textEvents,
  toChunks,
  toSse,
} from '../../support/models/model-streams.ts';
import { createSkippingClock } from '../../support/skipping-clock.ts';

const key = 'sk-ant-secret-0123456789';
const hello = textEvents('Hello!');
const request: ModelRequest = {
  system: [],
  tools: [],
  messages: [{ role: 'user', content: 'Hi' }],
};
const streamed = (text = toSse(hello)) => streamResponse(toChunks(text, [Infinity]));

/** One request through a model whose server gives `answers`. */
async function run(
  answers: readonly (Response | Error)[],
  options: Partial<AnthropicModelOptions> = {},
  asked: Partial<ModelRequest> = {},
) {
  const server = createFakeFetch(...answers);
  const clock = createSkippingClock();
  const model = createAnthropicModel({
    model: 'claude-test',
    apiKey: key,
    baseURL: 'https://models.example/anthropic',
    fetch: server.fetch,
    clock,
    random: () => 0,
    ...options,
  });
  const events: ModelEvent[] = [];
  const retries: ModelRetry[] = [];
  let error: SdkError | undefined;
  try {
    const stream = model.stream(
      { ...request, ...asked },
      {
        signal: new AbortController().signal,
        onRetry: (retry) => retries.push(retry),
      },
    );
    for await (const event of stream) events.push(event);
  } catch (thrown) {
    error = thrown as SdkError;
  }
  return { model, events, retries, error, waits: clock.waits, requests: server.requests };
}

const refusal = (status: number, type: string, message: string, headers = {}) =>
  jsonResponse({ type: 'error', error: { type, message } }, status, headers);

describe('createAnthropicModel', () => {
  it('sends no half of a surrogate pair, which the API refuses, and all else as it is', async () => {
    const content =
      'half \ud83d, low \udc00, pair \u{1f600}, written \\ud83d \\\\ud83d, "quoted"\n';
    const { requests } = await run([streamed()], {}, { messages: [{ role: 'user', content }] });
    const told = content.replace('half \ud83d', 'half \ufffd').replace('low \udc00', 'low \ufffd');
    expect(requests[0]).toMatchObject({ body: { messages: [{ role: 'user', content: told }] } });
  });

  it('sends the request as the Messages API has it', async () => {
    const tool = { name: 'Read', description: 'Reads.', input_schema: { type: 'object' as const } };
    const { requests, events } = await run(
      [streamed()],
      { headers: { 'X-Team': 'rocks' }, thinking: { type: 'adaptive' }, effort: 'xhigh' },
      { system: [{ type: 'text', text: 'Be brief.' }], tools: [tool] },
    );
    expect(events).toEqual(hello);
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({
      url: 'https://models.example/anthropic/v1/messages',
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'anthropic-dangerous-direct-browser-access': 'true',
        'x-api-key': key,
        'x-team': 'rocks',
      },
      body: {
        model: 'claude-test',
        max_tokens: 16_384,
        stream: true,
        system: [{ type: 'text', text: 'Be brief.' }],
        messages: request.messages,
        tools: [tool],
        thinking: { type: 'adaptive' },
        output_config: { effort: 'xhigh' },
      },
    });
    expect(requests[0]?.headers['anthropic-version']).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('names the model itself where its server doesn’t', async () => {
    const events = hello.map((event) => {
      if (event.type !== 'message_start') return event;
      const { model: _, ...message } = event.message;
      return { ...event, message };
    });
    const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
    const [start] = (await run([streamed(text)])).events;
    expect(start).toMatchObject({ type: 'message_start', message: { model: 'claude-test' } });
  });

  it('leaves out what is empty, and takes the limit and the effort that the request names', async () => {
    const { requests } = await run(
      [streamed()],
      { effort: 'low' },
      { max_tokens: 9, effort: 'max' },
    );
    expect(requests[0]?.body).toEqual({
      model: 'claude-test',
      max_tokens: 9,
      stream: true,
      messages: request.messages,
      output_config: { effort: 'max' },
    });
  });

  it('tells of a budget beside the effort, with its beta among those that the host asks for', async () => {
    const asked = { taskBudget: { total: 50_000, remaining: 20_000 } };
    const headers = { 'Anthropic-Beta': 'one-2026-01-01, two-2026-01-01' };
    const { requests } = await run([streamed(), streamed()], { headers, effort: 'low' }, asked);
    expect(requests[0]?.body).toMatchObject({
      output_config: {
        effort: 'low',
        task_budget: { type: 'tokens', total: 50_000, remaining: 20_000 },
      },
    });
    const betas = 'one-2026-01-01,two-2026-01-01,task-budgets-2026-03-13';
    expect(requests[0]?.headers['anthropic-beta']).toBe(betas);
    const plain = await run([streamed()]);
    expect(plain.requests[0]?.body).not.toHaveProperty('output_config');
    expect(plain.requests[0]?.headers).not.toHaveProperty('anthropic-beta');
  });

  it.each<AnthropicModelOptions['thinking'] & object>([
    { type: 'adaptive', display: 'summarized' },
    { type: 'between_tools' },
  ])('asks for thinking as the API spells it: %j', async (thinking) => {
    const { requests } = await run([streamed()], { thinking });
    expect(requests[0]?.body).toMatchObject({ thinking });
  });

  it('asks for thinking only where the answer has room for its budget', async () => {
    const thinking = { type: 'enabled', budget_tokens: 4_000 } as const;
    const { requests } = await run([streamed()], { thinking }, { max_tokens: 4_000 });
    expect(requests[0]?.body).not.toHaveProperty('thinking');
    const roomy = await run([streamed()], { thinking }, { max_tokens: 4_001 });
    expect(roomy.requests[0]?.body).toMatchObject({ thinking });
  });

  it.each<[string, Partial<AnthropicModelOptions>, string, string | undefined, string | undefined]>(
    [
      ['a key', { apiKey: key }, 'user', key, undefined],
      ['a token', { apiKey: undefined, authToken: 'tok' }, 'user', undefined, 'Bearer tok'],
      [
        'nothing, for a proxy that holds the key',
        { apiKey: undefined },
        'none',
        undefined,
        undefined,
      ],
      [
        'a header of the host',
        { apiKey: undefined, headers: { Authorization: 'Basic abc' } },
        'user',
        undefined,
        'Basic abc',
      ],
    ],
  )('sends %s', async (_name, options, source, apiKey, authorization) => {
    const { model, requests, error } = await run([streamed()], options);
    expect(error).toBeUndefined();
    expect(model.apiKeySource).toBe(source);
    expect(requests[0]?.headers['x-api-key']).toBe(apiKey);
    expect(requests[0]?.headers['authorization']).toBe(authorization);
  });

  it('sends other servers none of the headers that describe this machine', async () => {
    const { requests } = await run([streamed()]);
    const names = Object.keys(requests[0]?.headers ?? {});
    expect(names.filter((name) => name.startsWith('x-stainless'))).toEqual([]);
  });

  it.each([
    ['https://api.anthropic.com', 'https://api.anthropic.com/v1/messages'],
    ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080/v1/messages'],
    ['https://host/v1', 'https://host/v1/messages'],
    ['https://host/api/v1/messages', 'https://host/api/v1/messages'],
  ])('takes %s for the server at %s', async (baseURL, url) => {
    const { requests } = await run([streamed()], { baseURL });
    expect(requests[0]?.url).toBe(url);
  });

  it('turns an answer that is not streamed into the same events', async () => {
    const message = assistantMessage([
      { type: 'text', text: 'Hello!' },
      { type: 'tool_use', id: 'a', name: 'Read', input: { n: 1 } },
    ]);
    const { events } = await run([jsonResponse(message)]);
    expect(events.map((event) => event.type)).toEqual([
      'message_start',
      ...['content_block_start', 'content_block_delta', 'content_block_stop'],
      ...['content_block_start', 'content_block_delta', 'content_block_stop'],
      'message_delta',
      'message_stop',
    ]);
  });

  it('passes unknown events and pings through, and reads nothing after message_stop', async () => {
    const events = [{ type: 'ping' }, { type: 'weather', mood: { fine: true } }, ...hello];
    const response = streamed(`${toSse(events)}data: [DONE]\n\n`);
    expect((await run([response])).events).toEqual(events);
  });

  it('reads a stream whose events have no names', async () => {
    const text = hello.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
    expect((await run([streamed(text)])).events).toEqual(hello);
  });

  it('tries again after 529, 429, 5xx and a lost network, and says so', async () => {
    const { events, retries, waits, requests } = await run([
      refusal(529, 'overloaded_error', 'Overloaded', { 'retry-after': '3' }),
      new TypeError('fetch failed'),
      refusal(500, 'api_error', 'Oops'),
      streamed(),
    ]);
    expect(events).toEqual(hello);
    expect(waits).toEqual([3000, 1000, 2000]);
    expect(requests).toHaveLength(4);
    expect(retries.map(({ attempt, status, error }) => [attempt, status, error.code])).toEqual([
      [1, 529, 'model-overloaded'],
      [2, null, 'model-network'],
      [3, 500, 'model-server'],
    ]);
  });

  it('tries again when the stream fails before its first event, but not after', async () => {
    const failure =
      'event: error\ndata: {"error":{"type":"overloaded_error","message":"Busy"}}\n\n';
    const early = await run([streamed(failure), streamed()]);
    expect([early.events, early.retries.length]).toEqual([hello, 1]);
    const late = await run([streamed(toSse(hello.slice(0, 2)) + failure), streamed()]);
    expect([late.events, late.retries]).toEqual([hello.slice(0, 2), []]);
    expect(late.error).toMatchObject({
      code: 'model-overloaded',
      message:
        'models.example is overloaded (overloaded_error). Try again in a while. The server says: Busy',
    });
  });

  it('does not try again where it is no use', async () => {
    const { requests, error } = await run([refusal(401, 'authentication_error', 'bad key')]);
    expect([requests.length, error?.code]).toEqual([1, 'model-authentication']);
  });

  it.each([['close'], ['break']] as const)('says that a stream was cut (%s)', async (ending) => {
    const text = toSse(hello.slice(0, 3));
    const { events, error } = await run([
      streamResponse(toChunks(text.slice(0, -1), [Infinity]), ending),
    ]);
    expect(events).toEqual(hello.slice(0, 2));
    expect(error?.code).toBe('model-stream-cut');
  });

  it('cuts a server that has fallen silent', async () => {
    const response = streamResponse(toChunks(toSse(hello.slice(0, 2)), [Infinity]), 'stall');
    const timers = new Map<() => void, number>();
    const clock = {
      now: () => 0,
      after(delayMs: number, callback: () => void) {
        timers.set(callback, delayMs);
        return { [Symbol.dispose]: () => void timers.delete(callback) };
      },
    };
    const { fetch } = createFakeFetch(response);
    const model = createAnthropicModel({ model: 'm', apiKey: key, fetch, clock });
    const events = model
      .stream(request, { signal: new AbortController().signal })
      [Symbol.asyncIterator]();
    await events.next();
    await events.next();
    const waiting = events.next();
    expect([...timers.values()]).toEqual([300_000]);
    for (const callback of [...timers.keys()]) callback();
    await expect(waiting).rejects.toMatchObject({
      code: 'model-stream-cut',
      message: expect.stringContaining('nothing came for 300 s') as string,
    });
    expect([response.cancelled(), timers.size]).toEqual([true, 0]);
  });

  it.each([
    ['a web page', new Response('<html>', { headers: { 'content-type': 'text/html' } })],
    ['no JSON', streamed('data: [DONE]\n\n')],
    ['no object', streamed('data: 1\n\n')],
    ['no type', streamed('data: {}\n\n')],
    ['no message', jsonResponse({ choices: [] })],
  ])('refuses an answer with %s', async (_what, response) => {
    const { error } = await run([response]);
    expect(error?.code).toBe('model-protocol');
    expect(error?.message).toMatch(/^models\.example doesn't answer as a Messages API does: /);
  });

  it('keeps the key and the headers out of every error, also where a server echoes them', async () => {
    const headers = { 'X-Secret': 'header-secret' };
    const echo = `You sent ${key} and header-secret`;
    const outcomes = await Promise.all([
      run([refusal(401, 'authentication_error', echo)], { headers }),
      run([refusal(400, key, echo)], { headers }),
      run([jsonResponse(echo, 404)], { headers }),
      run([new TypeError(echo)], { headers, maxRetries: 0 }),
      run([new Response(`data: ${echo}\n\n`)], { headers }),
    ]);
    for (const { error } of outcomes) {
      const said = JSON.stringify(toSerializedError(error)) + String(error?.cause);
      expect(said).toContain('[hidden]');
      expect(said).not.toMatch(/sk-ant|header-secret/);
    }
  });

  it('leaves words alone that a short stand-in for a key occurs in', async () => {
    const { error } = await run([refusal(400, 'invalid_request_error', 'take this key')], {
      apiKey: 'k',
    });
    expect(error?.message).toContain('take this key');
  });

  it('ends the request and the wait when it is aborted, wherever it is', async () => {
    const response = streamResponse(toChunks(toSse(hello.slice(0, 2)), [Infinity]), 'stall');
    const server = createFakeFetch(response);
    const model = createAnthropicModel({ model: 'm', apiKey: key, fetch: server.fetch });
    const controller = new AbortController();
    const events = model.stream(request, { signal: controller.signal })[Symbol.asyncIterator]();
    await events.next();
    await events.next();
    const waiting = events.next();
    controller.abort('enough');
    await expect(waiting).rejects.toMatchObject({ code: 'aborted', cause: 'enough' });
    expect([response.cancelled(), server.requests[0]?.signal?.aborted]).toEqual([true, true]);
  });

  it('sends nothing when it is aborted already', async () => {
    const server = createFakeFetch(streamed());
    const model = createAnthropicModel({ model: 'm', apiKey: key, fetch: server.fetch });
    const events = model.stream(request, { signal: AbortSignal.abort() });
    await expect(events[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'aborted' });
    expect(server.requests).toEqual([]);
  });

  it('ends the request when its reader leaves', async () => {
    const response = streamResponse(toChunks(toSse(hello), [9]), 'stall');
    const server = createFakeFetch(response);
    const model = createAnthropicModel({ model: 'm', apiKey: key, fetch: server.fetch });
    for await (const event of model.stream(request, { signal: new AbortController().signal })) {
      if (event.type === 'content_block_start') break;
    }
    expect([response.cancelled(), server.requests[0]?.signal?.aborted]).toEqual([true, true]);
  });
});
