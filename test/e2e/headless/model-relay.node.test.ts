// What stands between the headless page and a server that has never heard of pages. Its way through
// Chromium is in headless.node.test.ts.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startModelRelay, type ModelRelay } from '../../../scripts/model-relay.ts';
import { startMessagesServer, type MessagesServer } from '../../support/models/messages-server.ts';

const origin = 'http://127.0.0.1:1';
let server: MessagesServer;
let relay: ModelRelay;

beforeEach(async () => {
  server = await startMessagesServer();
  relay = await startModelRelay({ baseUrl: `${server.url}/claude/`, origin });
});

afterEach(async () => {
  await relay.close();
  await server[Symbol.asyncDispose]();
});

const ask = (path: string, init: RequestInit = {}) =>
  fetch(`${relay.url}${path}`, {
    ...init,
    headers: { origin, 'x-api-key': 'secret', ...init.headers },
  });

describe('startModelRelay', () => {
  it('passes path, method, key and body on, without what is about the page, and the answer back', async () => {
    server.answer({ type: 'json', status: 429, headers: { 'retry-after': '7' }, body: { a: 1 } });
    const headers = {
      referer: 'http://page.example/',
      'sec-fetch-mode': 'cors',
      'x-other': 'kept',
    };
    const response = await ask('/claude/v1/messages?beta=true', {
      method: 'POST',
      headers,
      body: '{"b":2}',
    });
    expect([response.status, await response.json()]).toEqual([429, { a: 1 }]);
    expect(response.headers.get('retry-after')).toBe('7');
    expect(response.headers.get('access-control-allow-origin')).toBe(origin);
    expect(response.headers.get('access-control-expose-headers')).toContain('retry-after');
    const [request] = server.requests;
    expect(request).toMatchObject({
      method: 'POST',
      path: '/claude/v1/messages?beta=true',
      body: { b: 2 },
    });
    expect(request?.headers).toMatchObject({ 'x-api-key': 'secret', 'x-other': 'kept' });
    expect(Object.keys(request?.headers ?? {})).not.toContain('origin');
    expect(request?.headers['referer']).toBeUndefined();
    expect(request?.headers['sec-fetch-mode']).toBeUndefined();
  });

  it('answers what a browser asks beforehand, for its page alone, and tells the server nothing', async () => {
    const headers = { 'access-control-request-headers': 'x-api-key, content-type' };
    const own = await ask('/claude/v1/messages', { method: 'OPTIONS', headers });
    expect(own.status).toBe(204);
    expect(own.headers.get('access-control-allow-origin')).toBe(origin);
    expect(own.headers.get('access-control-allow-headers')).toBe('x-api-key, content-type');
    const other = { ...headers, origin: 'http://127.0.0.1:2' };
    const foreign = await ask('/claude/v1/messages', { method: 'OPTIONS', headers: other });
    expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([
      403,
      null,
    ]);
    expect(server.requests).toEqual([]);
  });

  it.each([
    ['another origin', '/claude/v1/messages', { origin: 'http://evil.example' }],
    ['no path of the base URL', '/admin', {}],
    ['a way out of the base URL', '/claude/%2e%2e/admin', {}],
    ['a path that is a host', '//evil.example/claude/', {}],
    ['a path that makes it another host', '@evil.example/claude/', {}],
  ])('refuses %s', async (_what, path, headers) => {
    const refused = await ask(path, { headers }).then(
      ({ status }) => status,
      () => 'no answer',
    );
    expect(refused).toBe(403);
    expect(server.requests).toEqual([]);
  });

  it('refuses who does not know its path', async () => {
    const { origin: place } = new URL(relay.url);
    const response = await fetch(`${place}/claude/v1/messages`, { headers: { origin } });
    expect(response.status).toBe(403);
  });

  it('streams as it comes, and ends the server’s connection when the page leaves', async () => {
    server.answer({ type: 'stream', text: 'first', ending: 'stall' });
    const controller = new AbortController();
    const response = await ask('/claude/v1/messages', { signal: controller.signal });
    const reader = response.body?.getReader();
    const piece = await reader?.read();
    expect(new TextDecoder().decode(piece?.value)).toBe('first');
    controller.abort();
    expect(await server.requests[0]?.leftEarly).toBe(true);
  });

  it('cuts the page’s answer where the server cuts it, or never begins one', async () => {
    server.answer({ type: 'stream', text: 'half', ending: 'cut' }, { type: 'break' });
    const cut = await ask('/claude/v1/messages');
    await expect(cut.text()).rejects.toThrow('terminated');
    await expect(ask('/claude/v1/messages')).rejects.toThrow('fetch failed');
  });
});
