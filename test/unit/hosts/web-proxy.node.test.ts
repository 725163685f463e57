// A web that no page may read, through the proxy: what comes back as the page's own answer, and what is refused.
import { describe, expect, it } from 'vitest';
import { createPageFetch } from '../../../src/core/host-ports/fetch-port.ts';
import { createWebProxy } from '../../../src/hosts/edge/proxy/create-web-proxy.ts';
import { createWebPort, throughWebProxy } from '../../../src/hosts/web-network.ts';
import { startWebServer, type WebAnswer } from '../../support/turns/web-server.ts';

const never = new AbortController().signal;

async function open(pages: Readonly<Record<string, WebAnswer>>) {
  const server = await startWebServer(pages);
  const proxy = createWebProxy({
    path: '/web-proxy',
    hosts: [`http://${server.host}`],
    authenticate: ({ headers }) => headers.get('x-user'),
  });
  /** The requests that a page sends, as they come to its server. */
  const page = createPageFetch((url, init) => proxy(new Request(url, init)), 'app.example');
  const address = { url: 'web-proxy/', headers: { 'x-user': 'ann' } };
  const port = createWebPort(throughWebProxy(page, address, 'https://app.example/'));
  const access = { hosts: [], granted: [server.host, 'other.example'] };
  return {
    server,
    proxy,
    port,
    get: (path: string) => port.get(`http://${server.host}${path}`, access, never),
    getElsewhere: (url: string) => port.get(url, access, never),
  };
}

describe('a web proxy', () => {
  it('gives a page its page, with the status and the type of its server', async () => {
    const { get, server } = await open({
      '/a?b=1': { type: 'text/html', body: '<h1>High</h1>' },
      '/gone': { status: 410, type: 'text/plain', body: 'Gone.' },
    });
    expect([await get('/a?b=1'), await get('/gone')]).toEqual([
      { code: 200, codeText: '', bytes: 13, contentType: 'text/html', text: '# High' },
      { code: 410, codeText: '', bytes: 5, contentType: 'text/plain', text: 'Gone.' },
    ]);
    expect(server.requests[0]?.headers).toMatchObject({ 'user-agent': 'rockpool' });
    expect(server.requests[0]?.headers).not.toHaveProperty('x-user');
  });

  it('tells where a redirect leads, and does not go there', async () => {
    const { get, server } = await open({
      '/a': { status: 302, headers: { location: '/b?x=1' }, body: 'Go.' },
    });
    expect(await get('/a')).toMatchObject({ code: 302, location: '/b?x=1' });
    expect(server.requests).toHaveLength(1);
  });

  it('knows the page’s own host, which a wildcard doesn’t reach', async () => {
    const { port } = await open({});
    expect(port.ownHosts).toEqual(['app.example']);
    const reading = port.get('https://app.example/', { hosts: ['*'] }, never);
    await expect(reading).rejects.toMatchObject({ code: 'permission-denied' });
  });

  it('reaches no host that is not on its list, and says so', async () => {
    const { getElsewhere } = await open({});
    await expect(getElsewhere('https://other.example/')).rejects.toMatchObject({
      code: 'permission-denied',
      message: expect.stringContaining(
        'The web proxy does not read https://other.example/ (403): This proxy does not reach that address.',
      ),
    });
  });

  it('only reads, for those whom it knows, and passes no credentials', async () => {
    const { proxy, server } = await open({ '/a': { body: 'x', headers: { 'set-cookie': 'a=b' } } });
    const ask = async (init: RequestInit) => {
      const url = `https://app.example/web-proxy/${server.host}/a`;
      const answer = await proxy(new Request(url, init));
      return [answer.status, answer.headers.get('set-cookie')];
    };
    const user = { 'x-user': 'ann' };
    expect([
      await ask({ headers: { ...user, authorization: 'Bearer s', cookie: 'c=d' } }),
      await ask({}),
      await ask({ method: 'POST', body: 'x', headers: user }),
    ]).toEqual([
      [200, null],
      [403, null],
      [403, null],
    ]);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(server.requests[0]?.headers).not.toHaveProperty('cookie');
  });

  it('gives no browser a page of its own origin', async () => {
    const { proxy, server } = await open({
      '/a': { type: 'text/html', body: '<script>x</script>' },
    });
    const url = `https://app.example/web-proxy/${server.host}/a`;
    const { headers } = await proxy(new Request(url, { headers: { 'x-user': 'ann' } }));
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'x-web-content-type': 'text/html',
    });
  });

  it('is refused as a client where it has no address', () => {
    const page = createPageFetch(fetch, 'app.example');
    expect(() => throughWebProxy(page, { url: 'http://' }, 'https://app.example/')).toThrow(
      expect.objectContaining({ code: 'bad-usage' }),
    );
  });
});
