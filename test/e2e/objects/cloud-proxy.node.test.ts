// What `npm start -- --edge` passes on to its Worker, and for whom: the password is put in for the page alone.
import { createServer, request as ask } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCloudProxy } from '../../../scripts/cloud-proxy.ts';

let worker: Server;
let page: Server;
let host: string;

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  worker = createServer(({ url, headers }, response) => {
    const { authorization, origin, host: asked } = headers;
    response.end(JSON.stringify({ url, authorization, origin, host: asked }));
  });
  const place = await listen(worker);
  const proxy = createCloudProxy({ url: `http://${place}`, password: 'secret' });
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

  it('leaves other paths to the page’s own server', async () => {
    expect((await send('/api/sessionsx', { origin: `http://${host}` })).status).toBe(404);
  });
});
