// What `npm start -- --edge` passes on to its Worker, and for whom: the password is put in for the page alone.
import { createServer, request as ask } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCloudProxy } from '../../../scripts/cloud-proxy.ts';

let worker: Server;
let page: Server;
let host: string;
/** An answer that the Worker has begun. */
let begun: ServerResponse | undefined;

/** So long the Worker may be silent. */
const silentMs = 500;

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  worker = createServer(({ url, headers }, response) => {
    if (url === '/api/sessions/silent') return;
    if (url === '/api/sessions/begun') {
      begun = response;
      response.write('begun ');
      return;
    }
    const { authorization, origin, host: asked } = headers;
    response.end(JSON.stringify({ url, authorization, origin, host: asked }));
  });
  const place = await listen(worker);
  const proxy = createCloudProxy({ url: `http://${place}`, password: 'secret' }, silentMs);
  page = createServer((request, response) => {
    const path = request.url?.slice(1) ?? '';
    if (!proxy.handle(path, request, response)) response.writeHead(404).end();
  });
  page.on('upgrade', (request, socket) => {
    if (!proxy.upgrade(request.url?.slice(1) ?? '', request, socket)) socket.destroy();
  });
  host = await listen(page);
});

afterAll(() => {
  for (const server of [page, worker]) {
    server?.closeAllConnections();
    server?.close();
  }
});

/** As a browser sends it, whose headers no page can choose. */
async function send(path: string, headers: Readonly<Record<string, string>>) {
  const [hostname, port] = host.split(':');
  const asked = ask({ hostname, port, path, headers });
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return read(response);
}

async function read(response: IncomingMessage) {
  let text = '';
  for await (const part of response) text += String(part);
  return { status: response.statusCode, text };
}

const toSeen = (text: string) => JSON.parse(text) as Readonly<Record<string, string>>;

describe('the proxy before a local cloud', () => {
  it('puts the password in for its own page, and says that the page is the Worker’s', async () => {
    const own = await send('/api/sessions?limit=1', { origin: `http://${host}` });
    const seen = toSeen(own.text);
    expect(seen).toMatchObject({ url: '/api/sessions?limit=1', authorization: 'Bearer secret' });
    expect(seen['origin']).toBe(`http://${seen['host']}`);
    const read = await send('/api/sessions', { 'sec-fetch-site': 'same-origin' });
    expect(toSeen(read.text)['authorization']).toBe('Bearer secret');
  });

  it('leaves a ticket as it is, and gives none with a password to a wire', async () => {
    const own = { origin: `http://${host}` };
    const ticket = { ...own, authorization: 'Bearer ticket' };
    const moved = await send('/api/sessions/a/wire/move', ticket);
    expect(toSeen(moved.text)['authorization']).toBe('Bearer ticket');
    const wire = await send('/api/sessions/a/wire', own);
    expect(toSeen(wire.text)).not.toHaveProperty('authorization');
  });

  it.each([
    ['a page of another origin', { origin: 'https://evil.example' }],
    ['a link on a page of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a program', {}],
  ])('refuses %s', async (_name, headers) => {
    expect((await send('/api/sessions', headers)).status).toBe(403);
    const upgrade = { ...headers, connection: 'Upgrade', upgrade: 'websocket' };
    expect((await send('/api/sessions/a/wire', upgrade)).status).toBe(403);
  });

  it('gives up a Worker that takes a request and says nothing, and no answer that has begun', async () => {
    const origin = `http://${host}`;
    const asked = ask(`${origin}/api/sessions/begun`, { headers: { origin } }).end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    // This one is asked later, so the first answer has been silent for as long.
    const silent = await send('/api/sessions/silent', { origin });
    expect(silent).toMatchObject({ status: 502, text: expect.stringMatching(/does not answer/u) });
    begun?.end('and ended');
    expect((await read(response)).text).toBe('begun and ended');
  });

  it('leaves other paths to the page’s own server', async () => {
    expect((await send('/api/sessionsx', { origin: `http://${host}` })).status).toBe(404);
  });
});
