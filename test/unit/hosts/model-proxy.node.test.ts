// The model proxy in Node and in workerd, by HTTP: Anthropic's own client before it, a server on the
// loopback behind it.
import { createServer, request as requestHttp } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import Anthropic from '@anthropic-ai/sdk';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { bundle } from '../../../scripts/bundle.ts';
import { toMiddleware } from '../../../scripts/git-proxy.ts';
import { createModelProxy } from '../../../src/hosts/edge/proxy/create-model-proxy.ts';
import type { ModelAccount, ModelSettlement } from '../../../src/hosts/edge/proxy/model-account.ts';
import { describeModelProxy } from '../../contract/model-proxy.contract.ts';
import { startMessagesServer, type MessagesServer } from '../../support/models/messages-server.ts';
import { assistantMessage, textEvents, toSse } from '../../support/models/model-streams.ts';

describeModelProxy();

const root = fileURLToPath(new URL('../../..', import.meta.url));
const key = 'sk-secret-of-the-proxy';

interface Front extends AsyncDisposable {
  readonly url: string;
  settled(): Promise<readonly ModelSettlement[]>;
}

async function openInNode(server: MessagesServer): Promise<Front> {
  const settled: ModelSettlement[] = [];
  const proxy = createModelProxy({
    path: '/anthropic',
    apiKey: key,
    baseURL: server.url,
    models: ['claude-test'],
    authenticate: ({ headers }) => headers.get('authorization'),
    account: {
      reserve: async () => ({ id: 'r' }),
      settle: async (one) => void settled.push(one),
    },
  });
  const middleware = toMiddleware(proxy, '/anthropic');
  const front = createServer((request, response) =>
    middleware(request, response, () => response.writeHead(404).end()),
  );
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(front.address() as AddressInfo).port}/anthropic`,
    settled: async () => settled,
    async [Symbol.asyncDispose]() {
      front.closeAllConnections();
      await new Promise((resolve) => front.close(resolve));
    },
  };
}

async function openInWorkerd(server: MessagesServer): Promise<Front> {
  const chunks = await bundle(root, ['test/support/models/model-proxy-main.ts'], () => false);
  const worker = new Miniflare(
    convertV4MiniflareOptions({
      modules: chunks
        .map(({ fileName, code }) => ({
          type: 'ESModule' as const,
          path: fileName,
          contents: code,
        }))
        .toSorted(({ path }) => (path === 'model-proxy-main.js' ? -1 : 1)),
      bindings: { KEY: key, UPSTREAM: server.url },
      compatibilityDate: '2026-10-15',
      compatibilityFlags: ['no_nodejs_compat', 'no_nodejs_compat_v2', 'enable_request_signal'],
      cf: false,
    }),
  );
  const url = new URL('/anthropic', await worker.ready).href;
  return {
    url,
    settled: async () =>
      (await (await fetch(new URL('/settled', url))).json()) as readonly ModelSettlement[],
    [Symbol.asyncDispose]: () => worker.dispose(),
  };
}

/** Announces so many bytes, sends a few, and reads what is answered. */
function postUnsent(url: string, length: number): Promise<readonly [status: number, text: string]> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: 'Bearer ticket', 'content-length': length };
    const request = requestHttp(url, { method: 'POST', headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => (text += part));
      response.on('end', () => {
        resolve([response.statusCode ?? 0, text]);
        request.destroy();
      });
    });
    request.on('error', reject);
    request.write('{');
  });
}

/** Sends a request. What it gives breaks the connection so that the other side hears of it at once. */
function postAndReset(url: string, body: string): () => void {
  const request = requestHttp(url, {
    method: 'POST',
    headers: { authorization: 'Bearer ticket', 'content-length': body.length },
  });
  // That it was broken is what it is for.
  request.on('error', () => undefined);
  request.end(body);
  return () => request.socket?.resetAndDestroy();
}

describe.each([
  ['Node', openInNode],
  ['workerd', openInWorkerd],
])('a model proxy in %s', (_runtime, open) => {
  let server: MessagesServer;
  let front: Front;
  let before: number;
  const client = (apiKey = 'ticket') =>
    new Anthropic({ baseURL: front.url, apiKey, maxRetries: 0, logLevel: 'off' });
  const message = {
    model: 'claude-test',
    max_tokens: 100,
    messages: [{ role: 'user' as const, content: 'Hi' }],
  };
  const newest = async () => (await front.settled()).slice(before);

  beforeAll(async () => {
    server = await startMessagesServer();
    front = await open(server);
  });
  beforeEach(async () => {
    before = (await front.settled()).length;
  });
  afterAll(async () => {
    await front?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  it('answers whole', async () => {
    const whole = assistantMessage([{ type: 'text', text: 'Hello' }]);
    server.answer({ type: 'json', body: whole });
    expect(await client().messages.create(message)).toMatchObject({ content: whole.content });
    const { headers } = server.requests.at(-1) ?? {};
    expect(headers).toMatchObject({ 'x-api-key': key });
    expect(JSON.stringify(headers)).not.toContain('ticket');
    expect(await newest()).toMatchObject([{ usage: whole.usage, isEstimated: false }]);
  });

  it('streams', async () => {
    server.answer({ type: 'stream', text: toSse(textEvents('Hello, Grüße!')), sizes: [5, 1, 9] });
    expect(await client().messages.stream(message).finalText()).toBe('Hello, Grüße!');
    expect(await newest()).toMatchObject([{ usage: { output_tokens: 5 }, isEstimated: false }]);
  });

  it('ends the request behind when the client leaves, and settles what came', async () => {
    const text = toSse(textEvents('Hello')).split('event: message_delta')[0] ?? '';
    // workerd learns of it by the next chunk that it can't send.
    server.answer({ type: 'stream', text, ending: 'ping' });
    const stream = client().messages.stream(message);
    await new Promise((resolve) => stream.once('text', resolve));
    stream.abort();
    await expect(stream.finalText()).rejects.toThrow('aborted');
    expect(await server.requests.at(-1)?.leftEarly).toBe(true);
    await expect.poll(newest).toMatchObject([{ isEstimated: true, usage: { input_tokens: 3 } }]);
  });

  it('ends the request behind when the client leaves before the answer', async () => {
    const heard = server.requests.length;
    server.answer({ type: 'silent' });
    const leave = postAndReset(`${front.url}/v1/messages`, JSON.stringify(message));
    await expect.poll(() => server.requests.length).toBe(heard + 1);
    leave();
    expect(await server.requests.at(-1)?.leftEarly).toBe(true);
    await expect.poll(newest).toMatchObject([{ isEstimated: true }]);
  });

  it('breaks off where the server does', async () => {
    const text = toSse(textEvents('Hello')).split('event: message_delta')[0] ?? '';
    server.answer({ type: 'stream', text, ending: 'cut' });
    const broken = client().messages.stream(message).finalText();
    await expect(broken).rejects.toBeInstanceOf(Error);
    await expect.poll(newest).toMatchObject([{ isEstimated: true }]);
  });

  it('refuses 100 MB unread, and who has no ticket', async () => {
    const heard = server.requests.length;
    const [status, text] = await postUnsent(`${front.url}/v1/messages`, 100_000_000);
    expect([status, JSON.parse(text)]).toMatchObject([
      413,
      { error: { message: 'The request is too large: this proxy allows 16777216 bytes.' } },
    ]);
    const stranger = await fetch(`${front.url}/v1/messages`, { method: 'POST', body: '{}' });
    expect(stranger.status).toBe(401);
    await stranger.body?.cancel();
    expect(server.requests).toHaveLength(heard);
  });
});

describe('a model proxy whose account is silent', () => {
  const usage = { input_tokens: 1, output_tokens: 2 };
  const ask = (account: ModelAccount, maxSeconds?: number) => {
    const proxy = createModelProxy({
      apiKey: key,
      models: ['claude-test'],
      authenticate: () => 'ann',
      account,
      ...(maxSeconds !== undefined && { maxSeconds }),
      fetch: async () => Response.json({ usage }),
    });
    const body = JSON.stringify({ model: 'claude-test', max_tokens: 10, messages: [] });
    return proxy(new Request('https://page.example/v1/messages', { method: 'POST', body }));
  };

  it('refuses in time where nothing is reserved, and gives back what is reserved too late', async () => {
    let reserve = (_reserved: { readonly id: string }) => {};
    const settled: ModelSettlement[] = [];
    const account: ModelAccount = {
      reserve: () => new Promise((resolve) => (reserve = resolve)),
      settle: async (one) => void settled.push(one),
    };
    const answer = await ask(account, 0.01);
    expect([answer.status, await answer.json()]).toMatchObject([
      503,
      { error: { message: 'The budget could not be asked. Try again.' } },
    ]);
    expect(settled).toEqual([]);
    reserve({ id: 'late' });
    const nothing = { input_tokens: 0, output_tokens: 0 };
    await expect.poll(() => settled).toMatchObject([{ id: 'late', usage: nothing }]);
  });

  it('takes an account that throws at once for one that rejects', async () => {
    const broken = () => {
      throw new TypeError('No such stub.');
    };
    const refused = await ask({ reserve: broken, settle: async () => undefined });
    expect([refused.status, await refused.json()]).toMatchObject([
      503,
      { error: { message: 'The budget could not be asked. Try again.' } },
    ]);
    const answer = await ask({ reserve: async () => ({ id: 'r' }), settle: broken });
    expect([answer.status, await answer.json()]).toEqual([200, { usage }]);
  });

  it('ends an answer ten seconds later where what it used can not be told', async () => {
    let told: ModelSettlement | undefined;
    const account: ModelAccount = {
      reserve: async () => ({ id: 'r' }),
      settle(one) {
        told = one;
        return new Promise(() => {});
      },
    };
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const reading = (await ask(account)).json();
    await vi.waitUntil(() => told);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await reading).toEqual({ usage });
    expect(told).toMatchObject({ usage, isEstimated: false });
  });
});

it('holds no request in memory while it is answered', async () => {
  const answers: ReadableStreamDefaultController<Uint8Array>[] = [];
  const proxy = createModelProxy({
    apiKey: key,
    models: ['claude-test'],
    authenticate: () => 'ann',
    account: { reserve: async () => ({ id: 'r' }), settle: async () => undefined },
    fetch: async () =>
      new Response(new ReadableStream({ start: (controller) => void answers.push(controller) }), {
        headers: { 'content-type': 'text/event-stream' },
      }),
  });
  const text = 'word '.repeat(2_000_000);
  const ask = () => {
    const messages = [{ role: 'user', content: text }];
    const body = JSON.stringify({ model: 'claude-test', max_tokens: 10, messages });
    return proxy(new Request('https://page.example/v1/messages', { method: 'POST', body }));
  };
  const before = heapBytes();
  const reading: Promise<string>[] = [];
  for (let at = 0; at < 6; at += 1) reading.push((await ask()).text());
  // 10 MB each.
  expect(heapBytes() - before).toBeLessThan(15_000_000);
  for (const answer of answers) answer.close();
  await Promise.all(reading);
});

/** What is in use when all else was collected. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}
