// What a git proxy lets through and what it refuses, before a server that is played. Called in each
// runtime that serves proxies.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createGitProxy,
  type GitProxyOptions,
} from '../../src/hosts/edge/proxy/create-git-proxy.ts';

const list = '/git/example.com/a/b/info/refs?service=git-upload-pack';
const advertisement = 'application/x-git-upload-pack-advertisement';

interface Sent {
  readonly url: string;
  readonly method: string | undefined;
  readonly headers: Record<string, string>;
  readonly body: string;
}

export function describeGitProxy(): void {
  describe('createGitProxy', () => {
    let sent: Sent[];
    const logged = vi.fn();

    beforeEach(() => {
      sent = [];
      for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const) {
        vi.spyOn(console, name).mockImplementation(logged);
      }
    });
    afterEach(() => {
      vi.restoreAllMocks();
      expect(logged).not.toHaveBeenCalled();
    });

    function open(
      answer: (url: string) => Response = () => typed(advertisement, 'refs'),
      options: Partial<GitProxyOptions> = {},
    ) {
      const proxy = createGitProxy({
        path: '/git',
        hosts: ['example.com', '*.example.org', 'http://localhost:8080'],
        authenticate: ({ headers }) => headers.get('x-user'),
        fetch: async (url, { method, headers, body }) => {
          sent.push({
            url,
            method,
            headers: Object.fromEntries(new Headers(headers)),
            // Of a stream: only where the test reads it.
            body: body instanceof ReadableStream ? '' : await new Response(body ?? null).text(),
          });
          return answer(url);
        },
        ...options,
      });
      return (path: string, init: RequestInit = {}) =>
        proxy(
          new Request(`https://page.example${path}`, {
            ...init,
            headers: { 'x-user': 'me', ...(init.headers as Record<string, string>) },
          }),
        );
    }

    function typed(type: string, body: string, status = 200): Response {
      return new Response(body, { status, headers: { 'content-type': type } });
    }

    function post(service: string, body = 'body', headers: Record<string, string> = {}) {
      const type = `application/x-${service}-request`;
      const length = String(body.length);
      return {
        method: 'POST',
        body,
        headers: { 'content-type': type, 'content-length': length, ...headers },
      };
    }

    it("passes git's three requests on, with the headers that git needs alone", async () => {
      const ask = open((url) =>
        typed(
          url.endsWith('refs?service=git-upload-pack')
            ? advertisement
            : `application/x-${url.slice(url.lastIndexOf('/') + 1)}-result`,
          'answer',
        ),
      );
      const headers = { authorization: 'Basic x', 'x-other': 'y' };
      const answers = [
        await ask(list, { headers }),
        await ask('/git/example.com/a/b/git-upload-pack', post('git-upload-pack', 'want', headers)),
        await ask('/git/localhost:8080/b/git-receive-pack', post('git-receive-pack', 'pack')),
      ];
      for (const answer of answers) expect(await answer.text()).toBe('answer');
      const agent = { 'user-agent': 'git/2 (rockpool)' };
      expect(sent).toEqual([
        {
          url: 'https://example.com/a/b/info/refs?service=git-upload-pack',
          method: 'GET',
          headers: { ...agent, authorization: 'Basic x' },
          body: '',
        },
        {
          url: 'https://example.com/a/b/git-upload-pack',
          method: 'POST',
          headers: {
            ...agent,
            authorization: 'Basic x',
            'content-type': 'application/x-git-upload-pack-request',
          },
          body: 'want',
        },
        {
          url: 'http://localhost:8080/b/git-receive-pack',
          method: 'POST',
          headers: { ...agent, 'content-type': 'application/x-git-receive-pack-request' },
          body: 'pack',
        },
      ]);
      expect(Object.fromEntries(answers[0]?.headers ?? [])).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
      });
    });

    it.each<[string, string, RequestInit?]>([
      ['another host', '/git/evil.example/a/b/info/refs?service=git-upload-pack'],
      [
        'the host that a wildcard is below',
        '/git/example.org/a/b/info/refs?service=git-upload-pack',
      ],
      ['another port', '/git/example.com:8443/a/b/info/refs?service=git-upload-pack'],
      ['an address of the own network', '/git/169.254.169.254/a/info/refs?service=git-upload-pack'],
      ['a user in the address', '/git/me:pw@example.com/a/b/info/refs?service=git-upload-pack'],
      ['another path', '/git/example.com/a/b/settings'],
      ['another question', `${list}&x=y`],
      ['another service', '/git/example.com/a/b/info/refs?service=git-upload-archive'],
      ['a page', '/git/example.com/a/b'],
      ['another method', list, { method: 'DELETE' }],
      [
        'a form',
        '/git/example.com/a/b/git-receive-pack',
        { ...post('x'), headers: { 'content-type': 'text/plain' } },
      ],
      ['a path beside its own', '/github/example.com/a'],
    ])('refuses %s', async (_what, path, init) => {
      const answer = await open()(path, init);
      expect([answer.status, sent]).toEqual([403, []]);
      expect(await answer.text()).toMatch(/^This proxy does not/u);
    });

    it('makes an archive, and follows where it is made, within the list', async () => {
      const redirect = (location: string) =>
        new Response(null, { status: 302, headers: { location } });
      const ask = open((url) => {
        if (url.endsWith('/main.zip')) return redirect('https://made.example.org/x?key=1');
        if (url.endsWith('/out.zip')) return redirect('https://evil.example/x');
        return typed('application/zip', 'PK');
      });
      const headers = { authorization: 'Basic x' };
      const answer = await ask('/git/example.com/a/b/archive/main.zip', { headers });
      expect(await answer.text()).toBe('PK');
      expect(sent.map((one) => one.headers['authorization'])).toEqual(['Basic x', undefined]);
      const out = await ask('/git/example.com/a/b/archive/out.zip');
      expect(out.status).toBe(502);
      expect(sent).toHaveLength(3);
    });

    it("names a redirect of git's own requests and follows none", async () => {
      const to = (location: string) =>
        open(() => new Response(null, { status: 301, headers: { location } }));
      const within = await to('https://example.com/new/info/refs?service=x')(list);
      expect(within.headers.get('x-git-location')).toBe('https://example.com/new/info/refs');
      const out = await to('https://evil.example/new')(list);
      expect([within.status, out.status, out.headers.get('x-git-location')]).toEqual([
        502,
        502,
        null,
      ]);
      expect(sent).toHaveLength(2);
    });

    it('lets nobody in whom it does not know', async () => {
      const answer = await open(undefined, { authenticate: () => null })(list);
      expect([answer.status, sent]).toEqual([403, []]);
      expect(await answer.text()).toBe('This proxy wants to know who asks.');
      const hosts = ['example.com'];
      const nobody = undefined as unknown as GitProxyOptions['authenticate'];
      expect(() => createGitProxy({ hosts, authenticate: nobody })).toThrow('needs `authenticate`');
      for (const all of [[], ['*']]) {
        expect(() => createGitProxy({ hosts: all, authenticate: () => 'me' })).toThrow(
          'needs `hosts`',
        );
      }
    });

    it('shows no page of the server, and says what it said in plain words', async () => {
      const page = await open(() => typed('text/html', '<script>steal()</script>'))(list);
      expect([page.status, await page.text()]).toEqual([
        502,
        'The server answered with something else than was asked for.',
      ]);
      const hidden = await open(() => typed('text/plain', 'Repository not found.', 404))(list);
      expect([hidden.status, await hidden.text()]).toEqual([404, 'Repository not found.']);
      const asked = await open(() => typed('text/html', 'who?', 401))(list);
      expect([asked.status, asked.headers.get('www-authenticate')]).toEqual([401, null]);
      const broken = await open(() => {
        throw new TypeError('secret of the network');
      })(list);
      expect([broken.status, await broken.text()]).toEqual([502, 'The server cannot be reached.']);
    });

    it('limits how much and how often', async () => {
      let time = 0;
      const ask = open(() => typed(advertisement, 'x'.repeat(100)), {
        maxRequestBytes: 10,
        maxResponseBytes: 50,
        requestsPerMinute: 3,
        now: () => time,
      });
      const path = '/git/example.com/a/git-upload-pack';
      expect((await ask(path, post('git-upload-pack', 'x'.repeat(11)))).status).toBe(413);
      await expect((await ask(list)).text()).rejects.toThrow('too large');
      await ask(list).then((answer) => answer.body?.cancel());
      expect((await ask(list)).status).toBe(429);
      const other = await ask(list, { headers: { 'x-user': 'other' } });
      expect(other.status).toBe(200);
      await other.body?.cancel();
      time = 60_000;
      const later = await ask(list);
      expect(later.status).toBe(200);
      await later.body?.cancel();
    });

    /** A push whose pieces come when the test says so. */
    function pushOf(bytes: number, headers: Record<string, string> = {}) {
      let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
      let isCancelled = false;
      const body = new ReadableStream<Uint8Array>({
        start: (given) => void (controller = given),
        cancel: () => void (isCancelled = true),
      });
      const length = { 'content-length': String(bytes), ...headers };
      const init = { ...post('git-receive-pack', '', length), body, duplex: 'half' };
      return {
        path: '/git/example.com/a/git-receive-pack',
        init: init as RequestInit,
        write: (size: number) => controller?.enqueue(new Uint8Array(size)),
        end: () => controller?.close(),
        isCancelled: () => isCancelled,
      };
    }

    const reported = () => typed('application/x-git-receive-pack-result', 'ok');

    it('passes a large pack on as it comes, and holds a small one, whose length the server is told', async () => {
      const large = pushOf(3_000_000);
      let bytes = 0;
      const ask = open(undefined, {
        async fetch(_url, { body }) {
          const reader = (body as ReadableStream<Uint8Array>).getReader();
          for (let next = await reader.read(); !next.done; next = await reader.read()) {
            bytes += next.value.length;
            // The rest comes only when the first piece is here.
            if (bytes === 1_000_000) large.write(2_000_000);
            if (bytes === 3_000_000) large.end();
          }
          return reported();
        },
      });
      const answering = ask(large.path, large.init);
      large.write(1_000_000);
      const answer = await answering;
      expect([bytes, answer.status, await answer.text()]).toEqual([3_000_000, 200, 'ok']);

      const small = pushOf(10);
      const asking = open(reported)(small.path, small.init);
      small.write(10);
      small.end();
      expect(await (await asking).text()).toBe('ok');
      expect(sent[0]?.body).toHaveLength(10);
    });

    it('ends a pack that is larger than it may be, whatever it said of its length', async () => {
      const options: Partial<GitProxyOptions> = {
        maxRequestBytes: 2_000_000,
        async fetch(_url, { body }) {
          await new Response(body ?? null).arrayBuffer();
          return reported();
        },
      };
      const said = pushOf(2_000_001);
      const unsaid = pushOf(2_000_000);
      const refused = await open(undefined, options)(said.path, said.init);
      const answering = open(undefined, options)(unsaid.path, unsaid.init);
      unsaid.write(1_500_000);
      unsaid.write(1_500_000);
      for (const answer of [refused, await answering]) {
        expect([answer.status, await answer.text()]).toEqual([
          413,
          'The request is too large for this proxy.',
        ]);
      }
      await expect.poll(() => unsaid.isCancelled()).toBe(true);
    });

    it.each([
      ['small', 1_000],
      ['large', 3_000_000],
    ])('gives up who sends a %s body too slowly', async (_what, bytes) => {
      const slow = pushOf(bytes);
      const ask = open(undefined, {
        maxSeconds: 0.05,
        fetch: (_url, { body, signal }) =>
          new Promise((_resolve, reject) => {
            const reader = (body as ReadableStream<Uint8Array>).getReader();
            const leave = () => {
              void reader.cancel();
              reject(new Error('aborted'));
            };
            if (signal?.aborted) leave();
            signal?.addEventListener('abort', leave);
          }),
      });
      const answering = ask(slow.path, slow.init);
      slow.write(100);
      const answer = await answering;
      expect([answer.status, await answer.text()]).toEqual([
        408,
        'The request did not arrive within 0.05 s.',
      ]);
      await expect.poll(() => slow.isCancelled()).toBe(true);
    });

    it('gives up a server that is silent for too long, also in the midst of a refusal, and no answer that has begun', async () => {
      type OnAbort = (hear: (error: Error) => void) => void;
      const silent = (answer: (onAbort: OnAbort) => Promise<Response>) =>
        open(undefined, {
          maxSeconds: 0.05,
          fetch: (_url, { signal }) =>
            answer((hear) => signal?.addEventListener('abort', () => hear(new Error('aborted')))),
        });
      const never = silent((onAbort) => new Promise((_resolve, reject) => onAbort(reject)));
      const midst = silent(async (onAbort) => {
        const words = new ReadableStream({ start: (to) => onAbort((error) => to.error(error)) });
        return new Response(words, { status: 500, headers: { 'content-type': 'text/plain' } });
      });
      for (const ask of [never, midst]) {
        const answer = await ask(list);
        expect([answer.status, await answer.text()]).toEqual([
          504,
          'The server did not answer within 0.05 s.',
        ]);
      }
      let signal: AbortSignal | null | undefined;
      let end = () => {};
      const ask = open(undefined, {
        maxSeconds: 0.05,
        async fetch(_url, init) {
          ({ signal } = init);
          const body = new ReadableStream({ start: (to) => void (end = () => to.close()) });
          return new Response(body, { headers: { 'content-type': advertisement } });
        },
      });
      const begun = await ask(list);
      // Begun later, and over: so the time of the first one is up.
      await (await never(list)).text();
      expect(signal?.aborted).toBe(false);
      end();
      expect(await begun.text()).toBe('');
    });

    it.each([-1, NaN, 3e6])('takes no %s as `maxSeconds`', (maxSeconds) => {
      expect(() => open(undefined, { maxSeconds })).toThrow('`maxSeconds`');
    });

    it('lets pages of named origins read it', async () => {
      const ask = open(undefined, { origins: ['https://app.example'] });
      const from = (origin: string) => ({ headers: { origin } });
      const named = await ask(list, from('https://app.example'));
      expect(named.headers.get('access-control-allow-origin')).toBe('https://app.example');
      const preflight = await ask(list, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://app.example',
          'access-control-request-headers': 'authorization',
        },
      });
      expect(preflight.headers.get('access-control-allow-headers')).toBe('authorization');
      await named.body?.cancel();
    });

    it.each<[string, Record<string, string>]>([
      ['of another origin', { origin: 'https://other.example' }],
      ['of another site that shows it as an image', { 'sec-fetch-site': 'cross-site' }],
      ['of a sister site, whose requests have the cookies', { 'sec-fetch-site': 'same-site' }],
      ['without an origin of its own', { origin: 'null' }],
    ])('refuses a page %s, before it asks who that is', async (_what, headers) => {
      const authenticate = vi.fn(() => 'me');
      const ask = open(undefined, { origins: ['https://app.example'], authenticate });
      const push = post('git-receive-pack', 'pack', headers);
      for (const answer of [
        await ask(list, { headers }),
        await ask('/git/example.com/a/b/git-receive-pack', push),
        await ask(list, { method: 'OPTIONS', headers }),
      ]) {
        expect([answer.status, await answer.text()]).toEqual([
          403,
          'Pages of this origin may not use this proxy.',
        ]);
      }
      expect(authenticate).not.toHaveBeenCalled();
      expect(sent).toEqual([]);
    });

    it("serves the pages of its own origin, and those of a site that it stands behind, and a person's address bar", async () => {
      const ask = open();
      for (const headers of [
        { origin: 'https://page.example' },
        { origin: 'https://front.example', 'sec-fetch-site': 'same-origin' },
        { 'sec-fetch-site': 'none' },
        {},
      ] as Record<string, string>[]) {
        const answer = await ask(list, { headers });
        expect([answer.status, await answer.text()]).toEqual([200, 'refs']);
      }
    });
  });
}
