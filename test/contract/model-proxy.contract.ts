// What a model proxy lets through, what it refuses, and what it tells an account, before a server that is
// played. Called in each runtime that serves proxies; real HTTP is in model-proxy.node.test.ts.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createModelProxy,
  type ModelProxyOptions,
} from '../../src/hosts/edge/proxy/create-model-proxy.ts';
import type { ModelSettlement } from '../../src/hosts/edge/proxy/model-account.ts';
import { assistantMessage, textEvents, toChunks, toSse } from '../support/models/model-streams.ts';

const key = 'sk-secret-of-the-proxy';
const messages = '/anthropic/v1/messages';
const said = toSse(textEvents('Hello, Grüße!'));

interface Sent {
  readonly url: string;
  readonly method: string | undefined;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}

/** A body that passes, but for what is given. */
function bodyOf(fields: Record<string, unknown> = {}): string {
  return JSON.stringify({
    model: 'claude-test',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'Hi' }],
    ...fields,
  });
}

function image(data: string) {
  return { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
}

/** As JSON may spell it, too. */
const toEscapes = (text: string) =>
  [...text].map((one) => `\\u00${one.charCodeAt(0).toString(16)}`).join('');

const withContent = (...content: unknown[]) =>
  bodyOf({
    messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content }] }],
  });

export function describeModelProxy(): void {
  describe('createModelProxy', () => {
    let sent: Sent[];
    let reserved: unknown[];
    let settled: ModelSettlement[];
    const logged = vi.fn();

    beforeEach(() => {
      sent = [];
      reserved = [];
      settled = [];
      for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const) {
        vi.spyOn(console, name).mockImplementation(logged);
      }
    });
    afterEach(() => {
      vi.restoreAllMocks();
      expect(logged).not.toHaveBeenCalled();
    });

    function open(
      answer: (signal: AbortSignal | null | undefined) => Response | Promise<Response> = () =>
        stream(said),
      options: Partial<ModelProxyOptions> = {},
    ) {
      const proxy = createModelProxy({
        path: '/anthropic',
        apiKey: key,
        models: ['claude-test', 'claude-other'],
        authenticate: ({ headers }) => headers.get('x-user'),
        fetch: async (url, { method, headers, body, signal }) => {
          const text = typeof body === 'string' ? (JSON.parse(body) as unknown) : undefined;
          sent.push({ url, method, headers: Object.fromEntries(new Headers(headers)), body: text });
          return answer(signal);
        },
        ...options,
      });
      return (path: string, init: RequestInit = {}) =>
        proxy(
          new Request(`https://page.example${path}`, {
            method: 'POST',
            ...(init.method !== 'GET' && { body: bodyOf() }),
            ...init,
            headers: { 'x-user': 'me', ...(init.headers as Record<string, string>) },
          }),
        );
    }

    function account(refused?: string): Pick<ModelProxyOptions, 'account'> {
      return {
        account: {
          async reserve(reservation) {
            reserved.push(reservation);
            return refused === undefined ? { id: 'r1' } : { refused };
          },
          settle: async (settlement) => void settled.push(settlement),
        },
      };
    }

    function stream(text: string, sizes = [3, 1, 7]): Response {
      const chunks = toChunks(text, sizes);
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          const next = chunks.shift();
          if (next) controller.enqueue(next);
          else controller.close();
        },
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    }

    async function refusalOf(answer: Response) {
      const { type, error } = (await answer.json()) as {
        readonly type: string;
        readonly error: { readonly type: string; readonly message: string };
      };
      expect(type).toBe('error');
      return [answer.status, error.type, error.message];
    }

    it('passes a request on with its own key, and the answer byte for byte', async () => {
      const answer = await open()(messages, {
        headers: { 'x-api-key': 'of the client', cookie: 'a=b', 'anthropic-version': '2023-06-01' },
      });
      expect(await answer.text()).toBe(said);
      expect(sent).toEqual([
        {
          url: 'https://api.anthropic.com/v1/messages',
          method: 'POST',
          headers: {
            'accept-encoding': 'identity',
            'anthropic-version': '2023-06-01',
            'content-type': 'application/json',
            'user-agent': 'rockpool-model-proxy',
            'x-api-key': key,
          },
          body: JSON.parse(bodyOf()),
        },
      ]);
      expect(answer.headers.get('cache-control')).toBe('no-store');
    });

    it('counts tokens and tells of a listed model', async () => {
      const json = () => Response.json({ input_tokens: 3 });
      const ask = open(json, account('over'));
      const counted = await ask(`${messages}/count_tokens?beta=true`, {
        body: bodyOf({ max_tokens: undefined }),
      });
      expect(await counted.json()).toEqual({ input_tokens: 3 });
      const model = await ask('/anthropic/v1/models/claude-test', { method: 'GET' });
      expect(model.status).toBe(200);
      await model.body?.cancel();
      expect(sent.map(({ url }) => url.slice('https://api.anthropic.com'.length))).toEqual([
        '/v1/messages/count_tokens?beta=true',
        '/v1/models/claude-test',
      ]);
    });

    it('goes by a gateway, with a key or without one', async () => {
      const gateway = { account: 'a1', id: 'g1', token: 'gateway-token' };
      for (const given of [gateway, { account: 'a1', id: 'g1' }]) {
        const answer = await open(undefined, { gateway: given })(messages);
        await answer.text();
      }
      const proxy = createModelProxy({
        gateway,
        models: ['claude-test'],
        authenticate: () => 'me',
        fetch: async (url, { headers }) => {
          sent.push({
            url,
            method: '',
            headers: Object.fromEntries(new Headers(headers)),
            body: null,
          });
          return stream(said);
        },
      });
      await proxy(
        new Request('https://page.example/v1/messages', { method: 'POST', body: bodyOf() }),
      ).then((answer) => answer.text());
      expect(sent.map(({ url }) => url)).toEqual(
        Array(3).fill('https://gateway.ai.cloudflare.com/v1/a1/g1/anthropic/v1/messages'),
      );
      expect(
        sent.map(({ headers }) => [headers['cf-aig-authorization'], headers['x-api-key']]),
      ).toEqual([
        ['Bearer gateway-token', key],
        [undefined, key],
        ['Bearer gateway-token', undefined],
      ]);
    });

    it.each<[string, string, RequestInit, readonly [number, string, string]]>([
      [
        'a path that is not listed',
        '/anthropic/v1/files',
        {},
        [404, 'not_found_error', 'This proxy doesn\'t serve "/v1/files".'],
      ],
      [
        'a path beside its own',
        '/v1/messages',
        {},
        [404, 'not_found_error', 'This proxy doesn\'t serve "/v1/messages".'],
      ],
      [
        'a question',
        `${messages}?to=https://evil.example`,
        {},
        [
          404,
          'not_found_error',
          'This proxy doesn\'t serve "/v1/messages?to=https://evil.example".',
        ],
      ],
      [
        'another method',
        messages,
        { method: 'PUT' },
        [405, 'invalid_request_error', 'This proxy takes POST at "/v1/messages".'],
      ],
      [
        'nobody',
        messages,
        { headers: { 'x-user': '' } },
        [401, 'authentication_error', 'This proxy wants to know who asks.'],
      ],
      [
        'a beta that is not listed',
        messages,
        { headers: { 'anthropic-beta': 'listed-1, other-2' } },
        [400, 'invalid_request_error', 'This proxy doesn\'t allow the beta "other-2".'],
      ],
      [
        'a page of another origin',
        messages,
        { headers: { origin: 'https://evil.example' } },
        [403, 'permission_error', 'Pages of this origin may not use this proxy.'],
      ],
      [
        'an unknown model',
        messages,
        { body: bodyOf({ model: 'gpt' }) },
        [
          404,
          'not_found_error',
          'This proxy doesn\'t offer the model "gpt". It offers claude-test, claude-other.',
        ],
      ],
      [
        'a key that stands twice',
        messages,
        { body: `${bodyOf().slice(0, -1)},"model":"gpt"}` },
        [
          404,
          'not_found_error',
          'This proxy doesn\'t offer the model "gpt". It offers claude-test, claude-other.',
        ],
      ],
      [
        'max_tokens of 1e9',
        messages,
        { body: bodyOf({ max_tokens: 1e9 }) },
        [
          400,
          'invalid_request_error',
          '`max_tokens` is 1000000000, and this proxy allows 64000. Ask for less.',
        ],
      ],
      [
        'no max_tokens',
        messages,
        { body: bodyOf({ max_tokens: '9' }) },
        [400, 'invalid_request_error', '`max_tokens` must be a whole number above 0.'],
      ],
      [
        'what is no JSON',
        messages,
        { body: 'x' },
        [400, 'invalid_request_error', 'The body must be a JSON object.'],
      ],
      [
        'a tool that the server runs',
        messages,
        { body: bodyOf({ tools: [{ name: 'a' }, { type: 'web_search_20250305' }] }) },
        [
          400,
          'invalid_request_error',
          'This proxy doesn\'t allow tools of the type "web_search_20250305".',
        ],
      ],
      [
        'too many images',
        messages,
        { body: withContent(...Array<unknown>(3).fill(image('AAAA'))) },
        [400, 'invalid_request_error', 'This proxy allows 2 images in a request.'],
      ],
      [
        'an image that is too large',
        messages,
        { body: withContent(image('A'.repeat(200))) },
        [400, 'invalid_request_error', 'An image is too large: this proxy allows 100 bytes.'],
      ],
      [
        'a body that is too large',
        messages,
        { body: 'x'.repeat(5_001) },
        [413, 'request_too_large', 'The request is too large: this proxy allows 5000 bytes.'],
      ],
      ...[
        ['an encoded slash', '/anthropic/v1%2fmessages', '/v1%2fmessages'],
        ['a doubled slash', '/anthropic//v1/messages', '//v1/messages'],
        ['a way up', '/anthropic/v1/models/%2e%2e/files', '/v1/files'],
        ['a slash at its end', `${messages}/`, '/v1/messages/'],
        ['a list of models', '/anthropic/v1/models/', '/v1/models/'],
        ['a question said twice', `${messages}?beta=true&beta=true`, undefined],
      ].map(
        ([what = '', path = '', shown = path.slice('/anthropic'.length)]) =>
          [what, path, {}, [404, 'not_found_error', `This proxy doesn't serve "${shown}".`]] as [
            string,
            string,
            RequestInit,
            readonly [number, string, string],
          ],
      ),
      ...[-1, 0, 1.5, null, [100], 2 ** 53].map(
        (tokens) =>
          [
            `max_tokens of ${JSON.stringify(tokens)}`,
            messages,
            { body: bodyOf({ max_tokens: tokens }) },
            [400, 'invalid_request_error', '`max_tokens` must be a whole number above 0.'],
          ] as [string, string, RequestInit, readonly [number, string, string]],
      ),
      [
        'a packed body',
        messages,
        { body: '\u001f\u008b', headers: { 'content-encoding': 'gzip' } },
        [400, 'invalid_request_error', 'The body must be a JSON object.'],
      ],
      [
        'a document by its address, whose cost nobody knows',
        messages,
        {
          body: withContent({
            type: 'document',
            source: { type: 'url', url: 'https://files.example/a.pdf' },
          }),
        },
        [
          400,
          'invalid_request_error',
          "This proxy keeps a budget, and takes no document by its address: what it costs isn't known before. Send its bytes.",
        ],
      ],
      [
        'what the budget has no room for',
        messages,
        {},
        [402, 'billing_error', 'The budget is used up.'],
      ],
    ])('refuses %s in a sentence', async (_what, path, init, refusal) => {
      const ask = open(undefined, {
        authenticate: ({ headers }) => headers.get('x-user') || null,
        betas: ['listed-1'],
        maxImages: 2,
        maxImageBytes: 100,
        maxRequestBytes: 5_000,
        ...account('The budget is used up.'),
      });
      expect([await refusalOf(await ask(path, init)), sent]).toEqual([refusal, []]);
    });

    it.each([undefined, null, '', false, 7, {}])(
      'takes %j for nobody, whoever was to be found out',
      async (asker) => {
        const answer = await open(undefined, { authenticate: () => asker as never })(messages);
        expect([(await refusalOf(answer))[0], sent]).toEqual([401, []]);
      },
    );

    it('lets through what is listed', async () => {
      const ask = open(undefined, { betas: ['listed-1'], toolTypes: ['web_search_20250305'] });
      const answer = await ask(messages, {
        headers: { 'anthropic-beta': 'listed-1' },
        body: bodyOf({ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }),
      });
      expect(await answer.text()).toBe(said);
      expect(sent[0]?.headers['anthropic-beta']).toBe('listed-1');
    });

    it('counts by the minute, and by a binding', async () => {
      const keys: string[] = [];
      const ask = open(undefined, {
        requestsPerMinute: 2,
        now: () => 0,
        rate: {
          limit: async ({ key: one }) => {
            keys.push(one);
            return { success: keys.length < 2 };
          },
        },
      });
      const statuses: number[] = [];
      for (let turn = 0; turn < 3; turn += 1) {
        const answer = await ask(messages);
        statuses.push(answer.status);
        await answer.text();
      }
      expect([statuses, keys]).toEqual([
        [200, 429, 429],
        ['me', 'me'],
      ]);
    });

    it('settles by what the server says, streamed and whole', async () => {
      const usage = { input_tokens: 7, output_tokens: 9, cache_read_input_tokens: 2 };
      const whole = assistantMessage([{ type: 'text', text: 'Hi' }], { usage });
      await open(undefined, account())(messages).then((answer) => answer.text());
      await open(() => Response.json(whole), account())(messages).then((answer) => answer.text());
      const id = { asker: 'me', id: 'r1', model: 'claude-test', isEstimated: false };
      expect(settled).toEqual([
        { ...id, usage: { input_tokens: 3, output_tokens: 5 } },
        { ...id, usage },
      ]);
    });

    it('settles an answer that breaks off by what came, and breaks off itself', async () => {
      const cut = () => {
        const half = toChunks(said.slice(0, said.lastIndexOf('event: message_delta')), [10]);
        const body = new ReadableStream<Uint8Array>({
          pull(controller) {
            const next = half.shift();
            if (next) controller.enqueue(next);
            else controller.error(new Error('gone'));
          },
        });
        return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
      };
      const answer = await open(cut, account())(messages);
      await expect(answer.text()).rejects.toBeInstanceOf(Error);
      expect(settled).toMatchObject([
        { isEstimated: true, usage: { input_tokens: 3, output_tokens: 8 } },
      ]);
    });

    it('ends the request behind when who asks leaves, and settles', async () => {
      let signal: AbortSignal | null | undefined;
      const answer = await open((given) => {
        signal = given;
        return stream(said, [200]);
      }, account())(messages);
      const reader = answer.body?.getReader();
      await reader?.read();
      expect(signal?.aborted).toBe(false);
      await reader?.cancel();
      expect(signal?.aborted).toBe(true);
      expect(settled).toHaveLength(1);
    });

    it('gives up a server that is silent for too long', async () => {
      const silent = (signal: AbortSignal | null | undefined) =>
        new Promise<Response>((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(new Error('aborted')));
        });
      const answer = await open(silent, { maxSeconds: 0.01, ...account() })(messages);
      expect(await refusalOf(answer)).toEqual([
        504,
        'api_error',
        "The model's server did not answer within 0.01 s.",
      ]);
      expect(settled).toMatchObject([{ isEstimated: true }]);
    });

    it('gives up who sends a request too slowly, reserves nothing for it, and sends nothing', async () => {
      let isCancelled = false;
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode(bodyOf().slice(0, 9))),
        cancel: () => void (isCancelled = true),
      });
      const slow: RequestInit & { duplex: 'half' } = { body, duplex: 'half' };
      const answer = await open(undefined, { maxSeconds: 0.01, ...account() })(messages, slow);
      expect(await refusalOf(answer)).toEqual([
        408,
        'invalid_request_error',
        'The request did not arrive within 0.01 s.',
      ]);
      await expect.poll(() => isCancelled).toBe(true);
      expect([sent, reserved, settled]).toEqual([[], [], []]);
    });

    it.each<[string, () => Response, readonly [number, string]]>([
      [
        'its own key was refused',
        () => Response.json({ error: { message: `bad key ${key}` } }, { status: 401 }),
        [502, "The model's server refused this proxy's own key (401). Tell its operator."],
      ],
      [
        'the server repeats the key',
        () =>
          Response.json(
            { type: 'error', error: { type: 'x', message: `not with ${key}` } },
            { status: 400 },
          ),
        [400, 'not with [hidden]'],
      ],
      [
        'the server repeats the key in another spelling, and in a header',
        () =>
          new Response(`{"type":"error","error":{"type":"x","message":"${toEscapes(key)}"}}`, {
            status: 400,
            headers: { 'content-type': 'application/json', 'request-id': `of ${key}` },
          }),
        [400, '[hidden]'],
      ],
      [
        'the server sends a page',
        () => new Response(`<p>${key}`, { status: 503, headers: { 'content-type': 'text/html' } }),
        [503, "The model's server answered with 503."],
      ],
      [
        'the server sends a page as an answer',
        () => new Response(`<p>${key}`, { headers: { 'content-type': 'text/html' } }),
        [502, 'The server behind this proxy does not speak the Messages API.'],
      ],
      [
        'the server leads elsewhere',
        () =>
          new Response(null, { status: 302, headers: { location: `https://x.example/${key}` } }),
        [502, "The model's server answered with 302."],
      ],
      [
        'the server cannot be reached',
        () => {
          throw new TypeError(`no way to ${key}`);
        },
        [502, "The model's server cannot be reached. Try again."],
      ],
    ])('says nothing of the key when %s', async (_what, answerOf, refusal) => {
      const answer = await open(answerOf, account())(messages);
      expect(JSON.stringify([...answer.headers])).not.toContain(key);
      const [status, , message] = await refusalOf(answer);
      expect([status, message]).toEqual(refusal);
      expect(settled).toMatchObject([{ usage: { input_tokens: 0, output_tokens: 0 } }]);
    });

    it('asks nobody where the account fails or who asks cannot be found out', async () => {
      const broken = () => Promise.reject(new Error(`it failed with ${key}`));
      const over = await open(undefined, { account: { reserve: broken, settle: broken } })(
        messages,
      );
      expect(await refusalOf(over)).toEqual([
        503,
        'api_error',
        'The budget could not be asked. Try again.',
      ]);
      const who = await open(undefined, { authenticate: broken })(messages);
      expect((await refusalOf(who))[0]).toBe(500);
      expect(sent).toEqual([]);
    });

    it('refuses options that cannot work, without naming the key', () => {
      const authenticate = () => 'me';
      const models = ['claude-test'];
      for (const [options, words] of [
        [{ models, authenticate }, 'needs `apiKey`, or a `gateway`'],
        [{ models: [], apiKey: key, authenticate }, 'needs `models`'],
        [{ models: ['*'], apiKey: key, authenticate }, 'needs `models`'],
        [{ models, apiKey: key }, 'needs `authenticate`'],
        [{ models, apiKey: `${key}\n`, authenticate }, 'without blanks'],
        [{ models, apiKey: key, authenticate, maxTokens: Number.NaN }, 'a number as `maxTokens`'],
        [{ models, apiKey: key, authenticate, maxSeconds: 1e9 }, 'takes at most 2147483'],
        [{ models, authenticate, gateway: { account: 'a/b', id: 'x' } }, "the account's id"],
      ] as const) {
        const make = () => createModelProxy(options as unknown as ModelProxyOptions);
        expect(make).toThrow(words);
        expect(make).not.toThrow(key);
      }
    });

    it('lets pages of listed origins read it', async () => {
      const ask = open(undefined, { origins: ['https://app.example'] });
      const origin = 'https://app.example';
      const preflight = await ask(messages, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-headers': 'x-api-key,content-type' },
      });
      expect(preflight.headers.get('access-control-allow-headers')).toBe('x-api-key,content-type');
      const answer = await ask(messages, { headers: { origin } });
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
      expect(await answer.text()).toBe(said);
    });
  });
}
