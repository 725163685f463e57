import { describe, expect, it } from 'vitest';
import {
  createPageFetch,
  createServerFetch,
  type FetchPort,
} from '../../../src/core/host-ports/fetch-port.ts';
import { CellMeter, toCellLimits, type CellLimits } from '../../../src/repl/vm/limits.ts';
import {
  createNetworkBroker,
  type GuestRequest,
  type NetworkAccess,
} from '../../../src/repl/host/network-broker.ts';

/** A server that answers by a table, and what it was asked. */
function fakeFetch(answers: Readonly<Record<string, () => Response>> = {}) {
  const asked: { url: string; init: Readonly<Record<string, unknown>> }[] = [];
  const fetch = (url: string, init: object) => {
    asked.push({ url, init: { ...init } });
    const answer = answers[url];
    return answer ? Promise.resolve(answer()) : Promise.reject(new TypeError('Failed to fetch'));
  };
  return { asked, fetch };
}

function open(
  port: FetchPort | undefined,
  hosts: readonly string[] | undefined,
  limits: Partial<CellLimits> = {},
  more: Partial<NetworkAccess> = {},
) {
  const meter = new CellMeter(toCellLimits(limits));
  const broker = createNetworkBroker(port, hosts && { hosts, ...more }, meter);
  return (
    url: string,
    changes: Partial<GuestRequest> = {},
    signal = new AbortController().signal,
  ) =>
    broker.fetch(
      { url, method: 'GET', headers: [], redirect: 'follow', body: undefined, ...changes },
      signal,
    );
}

const redirect = (to: string, status = 302) =>
  new Response(null, { status, headers: { location: to } });
const text = (body: Uint8Array) => new TextDecoder().decode(body);

describe('the network of a cell', () => {
  it.each([
    ['no port', undefined, ['a.net']],
    ['no access', createServerFetch(fakeFetch().fetch), undefined],
    ['other hosts', createServerFetch(fakeFetch().fetch), ['b.net']],
  ])('is denied where there is %s', async (_what, port, hosts) => {
    await expect(open(port, hosts)('https://a.net/x')).rejects.toMatchObject({
      name: 'PermissionDenied',
      code: 'permission-denied',
      message:
        'This cell may not reach a.net. It needs the permission Repl(net:a.net), which only the user can give.',
      data: { host: 'a.net' },
    });
  });

  it('never carries credentials, a referrer or the cache of a page', async () => {
    const { asked, fetch } = fakeFetch({
      'https://a.net/x?y': () => new Response('hi', { statusText: 'Fine' }),
    });
    const send = open(createPageFetch(fetch, 'app.net'), ['a.net']);
    const response = await send('https://a.net/x?y#z', {
      method: 'post',
      headers: [['authorization', 'Bearer t']],
      body: new TextEncoder().encode('in'),
    });
    expect({ ...response, body: text(response.body) }).toEqual({
      url: 'https://a.net/x?y#z',
      redirected: false,
      status: 200,
      statusText: 'Fine',
      headers: [['content-type', 'text/plain;charset=UTF-8']],
      body: 'hi',
    });
    expect(asked).toMatchObject([
      {
        url: 'https://a.net/x?y',
        init: {
          method: 'POST',
          headers: [['authorization', 'Bearer t']],
          redirect: 'error',
          credentials: 'omit',
          referrerPolicy: 'no-referrer',
          cache: 'no-store',
          mode: 'cors',
        },
      },
    ]);
  });

  it("reaches the page's own host only by its name", async () => {
    const { asked, fetch } = fakeFetch({ 'https://app.net/': () => new Response('own') });
    const port = createPageFetch(fetch, 'app.net');
    await expect(open(port, ['*'])('https://app.net/')).rejects.toMatchObject({
      name: 'PermissionDenied',
    });
    expect(asked).toEqual([]);
    expect(text((await open(port, ['app.net'])('https://app.net/')).body)).toBe('own');
  });

  it.each([
    ['ftp://a.net/', {}, "the scheme ftp: isn't available, only http: and https: are"],
    ['file:///etc/passwd', {}, "the scheme file: isn't available"],
    ['data:text/plain,x', {}, "the scheme data: isn't available"],
    ['blob:https://a.net/1', {}, "the scheme blob: isn't available"],
    ['https://me:secret@a.net/', {}, 'a URL may not carry a user name or password'],
    ['https://a.net/', { method: 'CONNECT' }, "The method CONNECT isn't available."],
    ['https://a.net/', { method: 'TRACE' }, "The method TRACE isn't available."],
    ['https://a.net/', { method: 'get\r\nX: y' }, "isn't available."],
  ])('refuses %s %j', async (url, changes, message) => {
    const { asked, fetch } = fakeFetch();
    await expect(open(createServerFetch(fetch), ['*'])(url, changes)).rejects.toMatchObject({
      name: 'TypeError',
      message: expect.stringContaining(message) as string,
    });
    expect(asked).toEqual([]);
  });

  it.each([
    'Cookie',
    'host',
    'Origin',
    'REFERER',
    'Connection',
    'Content-Length',
    'Transfer-Encoding',
    'Proxy-Authorization',
    'Sec-Fetch-Site',
    'X-Forwarded-For',
    'X-HTTP-Method-Override',
    'Upgrade',
    'Via',
  ])('refuses the header %s', async (name) => {
    const { asked, fetch } = fakeFetch();
    const send = open(createServerFetch(fetch), ['*']);
    await expect(send('https://a.net/', { headers: [[name, 'x']] })).rejects.toMatchObject({
      name: 'TypeError',
      message: `The header ${name} can't be set by a cell: leave it out.`,
    });
    expect(asked).toEqual([]);
  });

  it('hides cookies that a server sets', async () => {
    const { fetch } = fakeFetch({
      'https://a.net/': () => new Response('', { headers: { 'set-cookie': 'a=b', 'x-a': '1' } }),
    });
    const { headers } = await open(createServerFetch(fetch), ['*'])('https://a.net/');
    expect(headers.map(([name]) => name)).not.toContain('set-cookie');
    expect(headers).toContainEqual(['x-a', '1']);
  });

  it('tells of each request before it leaves', async () => {
    const { fetch } = fakeFetch({
      'https://a.net/': () => redirect('https://b.net/'),
      'https://b.net/': () => new Response(''),
    });
    const sent: unknown[] = [];
    const onSend = (request: unknown) => void sent.push(request);
    await open(createServerFetch(fetch), ['*'], {}, { onSend })('https://a.net/');
    expect(sent).toEqual([
      { method: 'GET', url: 'https://a.net/' },
      { method: 'GET', url: 'https://b.net/' },
    ]);
  });
});

describe('a redirect', () => {
  it.each([
    'https://b.net/',
    'http://127.0.0.1/',
    'http://[::1]/',
    'http://2130706433/',
    'http://localhost/',
    'http://169.254.169.254/latest/meta-data/',
    '//b.net/',
  ])('to %s is judged like a request', async (target) => {
    const { asked, fetch } = fakeFetch({ 'https://a.net/': () => redirect(target) });
    await expect(
      open(createServerFetch(fetch), ['a.net', '*.c.net'])('https://a.net/'),
    ).rejects.toMatchObject({ name: 'PermissionDenied' });
    expect(asked.map(({ url }) => url)).toEqual(['https://a.net/']);
  });

  it.each([
    ['file:///etc/passwd', "the scheme file: isn't available"],
    ['data:text/plain,x', "the scheme data: isn't available"],
    ['https://u:p@a.net/', 'a URL may not carry a user name'],
    ['https://', 'the server redirects to no valid URL'],
  ])('to %s fails', async (target, message) => {
    const { fetch } = fakeFetch({ 'https://a.net/': () => redirect(target) });
    await expect(open(createServerFetch(fetch), ['*'])('https://a.net/')).rejects.toMatchObject({
      message: expect.stringContaining(message) as string,
    });
  });

  it.each([
    [302, 'POST', 'GET', false],
    [303, 'PUT', 'GET', false],
    [307, 'POST', 'POST', true],
    [308, 'PUT', 'PUT', true],
    [301, 'PUT', 'PUT', true],
  ])('%i of a %s goes on as %s', async (status, method, next, keepsBody) => {
    const { asked, fetch } = fakeFetch({
      'https://a.net/': () => redirect('/there', status),
      'https://a.net/there': () => new Response('ok'),
    });
    const response = await open(createServerFetch(fetch), ['*'])('https://a.net/', {
      method,
      headers: [
        ['content-type', 'text/plain'],
        ['authorization', 'Bearer t'],
      ],
      body: new Uint8Array([1]),
    });
    expect(response).toMatchObject({ url: 'https://a.net/there', redirected: true });
    expect(asked[1]!.init).toMatchObject({
      method: next,
      headers: keepsBody
        ? [
            ['content-type', 'text/plain'],
            ['authorization', 'Bearer t'],
          ]
        : [['authorization', 'Bearer t']],
    });
    expect(asked[1]!.init['body'] !== undefined).toBe(keepsBody);
  });

  it('to another origin loses the authorization', async () => {
    const { asked, fetch } = fakeFetch({
      'https://a.net/': () => redirect('https://b.net/'),
      'https://b.net/': () => new Response('ok'),
    });
    await open(createServerFetch(fetch), ['*'])('https://a.net/', {
      headers: [
        ['Authorization', 'Bearer t'],
        ['accept', '*/*'],
      ],
    });
    expect(asked[1]!.init['headers']).toEqual([['accept', '*/*']]);
  });

  it('is handed out or refused as the request says', async () => {
    const { fetch } = fakeFetch({ 'https://a.net/': () => redirect('https://b.net/') });
    const send = open(createServerFetch(fetch), ['*']);
    expect(await send('https://a.net/', { redirect: 'manual' })).toMatchObject({ status: 302 });
    await expect(send('https://a.net/', { redirect: 'error' })).rejects.toMatchObject({
      message: 'fetch of https://a.net/ failed: the server answered by a redirect.',
    });
  });

  it('in a circle ends', async () => {
    const { asked, fetch } = fakeFetch({ 'https://a.net/': () => redirect('https://a.net/') });
    await expect(open(createServerFetch(fetch), ['*'])('https://a.net/')).rejects.toMatchObject({
      message: 'fetch of https://a.net/ failed: more than 20 redirects.',
    });
    expect(asked).toHaveLength(21);
  });
});

describe('what a cell may move', () => {
  it('is so many requests, redirects counted', async () => {
    const { fetch } = fakeFetch({
      'https://a.net/': () => redirect('/x'),
      'https://a.net/x': () => new Response(''),
    });
    const send = open(createServerFetch(fetch), ['*'], { maxFetches: 3 });
    await send('https://a.net/');
    await expect(send('https://a.net/')).rejects.toMatchObject({
      name: 'LimitError',
      code: 'limit-exceeded',
      message:
        'A cell may send 3 requests to the network, and this one has. Do the rest in another cell.',
    });
  });

  it('is so many bytes both ways, and no more of a body is read', async () => {
    let pulled = 0;
    let isCancelled = false;
    const endless = () =>
      new Response(
        new ReadableStream({
          pull: (controller) => {
            pulled += 1;
            controller.enqueue(new Uint8Array(1000));
          },
          cancel: () => void (isCancelled = true),
        }),
      );
    const { asked, fetch } = fakeFetch({ 'https://a.net/': endless });
    const send = open(createServerFetch(fetch), ['*'], { maxFetchBytes: 5000 });
    await expect(
      send('https://a.net/', { method: 'POST', body: new Uint8Array(1500) }),
    ).rejects.toMatchObject({
      name: 'LimitError',
      message:
        'A cell may move 5000 bytes over the network, requests and responses together, and this ' +
        'would be more. Ask for less of it, or for a part by a Range header.',
    });
    expect(isCancelled).toBe(true);
    expect(pulled).toBeLessThan(8);
    await expect(
      send('https://a.net/', { method: 'POST', body: new Uint8Array(5001) }),
    ).rejects.toMatchObject({ name: 'LimitError' });
    expect(asked).toHaveLength(1);
  });
});

describe('a fetch that fails', () => {
  it('says what a page can know of it', async () => {
    const send = open(createPageFetch(fakeFetch().fetch, 'app.net'), ['*']);
    await expect(send('https://a.net/x')).rejects.toMatchObject({
      name: 'TypeError',
      message:
        "fetch of https://a.net/x failed: the server could not be reached, doesn't allow pages " +
        'of other origins to read it (CORS), or answered by a redirect, which is not followed here.',
    });
  });

  it('says the code of a server that was not reached', async () => {
    const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause }));
    await expect(open(createServerFetch(fetch), ['*'])('https://a.net/')).rejects.toMatchObject({
      message: 'fetch of https://a.net/ failed: ECONNREFUSED.',
    });
  });

  it('says how far a body came', async () => {
    const broken = () =>
      new Response(
        new ReadableStream({
          start: (controller) => controller.enqueue(new Uint8Array(7)),
          pull: (controller) => controller.error(new Error('reset')),
        }),
      );
    const { fetch } = fakeFetch({ 'https://a.net/': broken });
    await expect(open(createServerFetch(fetch), ['*'])('https://a.net/')).rejects.toMatchObject({
      message: 'fetch of https://a.net/ failed: the connection broke after 7 bytes.',
    });
  });
});
