// The broker and Node's own fetch against a server on loopback, which a rule names.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createServerFetch } from '../../../src/core/host-ports/fetch-port.ts';
import { openRepl } from '../../support/repl/repl.ts';

let server: Server;
let origin: string;
let requests: IncomingMessage[];

beforeEach(async () => {
  requests = [];
  server = createServer((request, response) => {
    requests.push(request);
    const { pathname, searchParams } = new URL(request.url ?? '/', origin);
    if (pathname === '/echo') {
      response.setHeader('set-cookie', 'secret=1');
      request.pipe(response);
    } else if (pathname === '/to') {
      response.writeHead(302, { location: searchParams.get('url') ?? '/' }).end('moved');
    } else if (pathname === '/endless') {
      const send = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', send);
      send();
    } else if (pathname === '/cut') {
      response.writeHead(200, { 'content-length': '10' }).write('12345', () => response.destroy());
    } else if (pathname !== '/hang') response.end(`you asked for ${pathname}`);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

function open() {
  return openRepl({}, { network: createServerFetch((url, init) => fetch(url, init)) });
}

const named = () => ({ network: { hosts: [new URL(origin).host] } });

describe("a cell's fetch, over a real network", () => {
  it('reaches a loopback server that a rule names', async () => {
    const repl = await open();
    const { display: result } = await repl.run(
      `const r = await fetch('${origin}/echo', { method: 'POST', body: 'héllo', headers: { 'x-a': 'b' } });
       [r.status, await r.text(), r.headers.get('set-cookie')]`,
      named(),
    );
    expect(result).toBe("[ 200, 'héllo', null ]");
    expect(requests[0]!.headers).toMatchObject({ 'x-a': 'b', 'content-length': '6' });
    expect(requests[0]!.headers).not.toHaveProperty('cookie');
    expect(requests[0]!.headers).not.toHaveProperty('referer');
  });

  it.each([
    ['every public host', ['*']],
    ['the same host, another port', ['127.0.0.1:1', '127.0.0.1']],
    ['a name for it', ['localhost', '*.localhost']],
    ['nothing', []],
  ])('does not reach it by a rule for %s', async (_what, hosts) => {
    const { port } = new URL(origin);
    const repl = await open();
    for (const url of [origin, `http://2130706433:${port}/`, `http://[::ffff:7f00:1]:${port}/`]) {
      const { error } = await repl.run(`await fetch('${url}')`, { network: { hosts } });
      expect(error?.name, url).toBe('PermissionDenied');
    }
    expect(requests).toEqual([]);
  });

  it('judges each hop of a redirect', async () => {
    const repl = await open();
    const { port } = new URL(origin);
    const follow = `await (await fetch('${origin}/to?url=/end')).text()`;
    expect(await repl.run(follow, named())).toMatchObject({ display: "'you asked for /end'" });
    const denied = await repl.run(
      `await fetch('${origin}/to?url=' + encodeURIComponent('http://localhost:${port}/secret'))`,
      named(),
    );
    expect(denied.error?.name).toBe('PermissionDenied');
    expect(requests.map(({ url }) => url)).not.toContain('/secret');
  });

  it('reads no more of an endless answer than it may', async () => {
    const repl = await open();
    const { error } = await repl.run(`await fetch('${origin}/endless')`, {
      ...named(),
      maxFetchBytes: 100_000,
    });
    expect(error).toMatchObject({
      name: 'LimitError',
      message: expect.stringMatching(/^A cell may move 100000 bytes/u) as string,
    });
    expect(await repl.value('1')).toBe('1');
  });

  it('is cut with its cell while a server is silent', async () => {
    const repl = await open();
    const result = await repl.run(`await fetch('${origin}/hang')`, { ...named(), timeoutMs: 50 });
    expect(result).toMatchObject({ timedOutAfterMs: 50, rolledBack: true });
    expect(await repl.value('1')).toBe('1');
  });

  it('tells how a connection broke', async () => {
    const repl = await open();
    const { error } = await repl.run(`await fetch('${origin}/cut')`, named());
    expect(error?.message).toBe(
      `fetch of ${origin}/cut failed: the connection broke after 5 bytes.`,
    );
    const closed = await repl.run("await fetch('http://127.0.0.1:1/')", {
      network: { hosts: ['127.0.0.1:1'] },
    });
    expect(closed.error).toMatchObject({ name: 'TypeError' });
  });
});
