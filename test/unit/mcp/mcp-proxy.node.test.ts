// An MCP server that no page may read, through the proxy: calls, streams, logins, and what the proxy refuses.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable, pipeline } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { query } from '../../../src/agent/query.ts';
import { createMcpProxy } from '../../../src/hosts/edge/proxy/create-mcp-proxy.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';
import { startLoginServer } from '../../support/mcp/login-server.ts';
import { startMcpServer } from '../../support/mcp/mcp-server.ts';
import { callTool, runHooked, say, toResults } from '../../support/turns/run-hooked.ts';

const hostOf = (url: string) => `http://${new URL(url).host}`;

/** Serves the proxy for these servers, to whoever says who they are. */
async function openProxy(...servers: string[]) {
  const seen: Headers[] = [];
  const proxy = createMcpProxy({
    path: '/mcp-proxy',
    servers: servers.map(hostOf),
    authenticate: ({ headers }) => headers.get('x-user'),
    fetch: async (url, init) => {
      seen.push(new Headers(init.headers));
      return fetch(url, init);
    },
  });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const { method = 'GET' } = request;
      const asked = new Request(`http://proxy${request.url}`, {
        method,
        headers: new Headers(request.headers as Record<string, string>),
        ...(body.length > 0 && { body }),
      });
      void proxy(asked).then((answer) => {
        response.writeHead(answer.status, Object.fromEntries(answer.headers));
        // A stream ends with an error where its server is stopped.
        if (answer.body)
          pipeline(Readable.fromWeb(answer.body as never), response, () => undefined);
        else response.end();
      });
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/mcp-proxy`, seen };
}

describe('an MCP proxy', () => {
  it('passes calls on, without what is for itself', async () => {
    const server = await startMcpServer();
    onTestFinished(() => server[Symbol.asyncDispose]());
    const { url, seen } = await openProxy(server.url);
    await using host = await createInlineHost({
      mcp: { proxy: { url, headers: { 'x-user': 'ann' } } },
    });
    const turns = [callTool('mcp__there__echo', { text: 'Hello.' }), say('Done.')];
    const { messages } = await runHooked(host, turns, {
      mcpServers: { there: { type: 'http', url: server.url, alwaysLoad: true } },
      permissionMode: 'bypassPermissions',
    });
    expect(toResults(messages)).toEqual(['Hello.']);
    expect(seen.some((headers) => headers.has('x-user') || headers.has('cookie'))).toBe(false);
  });

  it('lets people log in through it', async () => {
    const server = await startLoginServer();
    onTestFinished(() => server[Symbol.asyncDispose]());
    const { url } = await openProxy(server.mcp.url, server.issuer);
    const redirectUrl = 'https://app.example/logged-in';
    await using host = await createInlineHost({
      mcp: { proxy: { url, headers: { 'x-user': 'ann' } }, login: { redirectUrl } },
    });
    const model = createScriptedModel({ script: { turns: [say('Done.')] } });
    const there = { type: 'http', url: server.mcp.url, alwaysLoad: true } as const;
    const asked = query({ prompt: 'Go.', options: { host, model, mcpServers: { there } } });
    expect((await asked.mcpServerStatus())[0]?.status).toBe('needs-auth');
    const { url: page = '' } = await asked.loginMcpServer('there');
    await asked.completeMcpLogin(server.approve(page));
    expect((await asked.mcpServerStatus())[0]?.status).toBe('connected');
    asked.close();
  });

  it.each([
    ['a host that isn’t listed', 'GET', '/mcp-proxy/evil.example/mcp', { 'x-user': 'ann' }, 403],
    ['who says nothing of who they are', 'POST', '/mcp-proxy/mcp.example/mcp', {}, 403],
    ['another method', 'PUT', '/mcp-proxy/mcp.example/mcp', { 'x-user': 'ann' }, 403],
  ] as const)('refuses %s', async (_what, method, path, headers, status) => {
    const proxy = createMcpProxy({
      path: '/mcp-proxy',
      servers: ['mcp.example'],
      authenticate: (request) => request.headers.get('x-user'),
      fetch: () => Promise.reject(new Error('Nothing is to be asked.')),
    });
    const answer = await proxy(new Request(`http://proxy${path}`, { method, headers }));
    expect(answer.status).toBe(status);
  });

  it('passes no page of a server’s on as a page', async () => {
    const proxy = createMcpProxy({
      servers: ['mcp.example'],
      authenticate: () => 'ann',
      fetch: async () =>
        new Response('<script>1</script>', { headers: { 'content-type': 'text/html' } }),
    });
    const answer = await proxy(new Request('http://proxy/mcp.example/mcp'));
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      502,
      'text/plain; charset=utf-8',
    ]);
  });

  it('passes on that a message was taken, whatever a server says beside it', async () => {
    const proxy = createMcpProxy({
      servers: ['mcp.example'],
      authenticate: () => 'ann',
      fetch: async () =>
        new Response('Accepted', { status: 202, headers: { 'content-type': 'text/plain' } }),
    });
    const answer = await proxy(new Request('http://proxy/mcp.example/mcp', { method: 'POST' }));
    expect([answer.status, await answer.text()]).toEqual([202, '']);
  });

  it.each([
    ['Bearer resource_metadata="https://mcp.example/meta"', true],
    ['Bearer realm="basic", DPoP algs="ES256"', true],
    ['Basic realm="Your password"', false],
    ['Bearer error="x", basic realm="Your password"', false],
    ['NTLM', false],
    ['Negotiate, Bearer', false],
  ])(
    'passes a wish for a token on, and none that a browser asks a password for: %s',
    async (wish, passes) => {
      const proxy = createMcpProxy({
        servers: ['mcp.example'],
        authenticate: () => 'ann',
        fetch: async () =>
          new Response('{}', {
            status: 401,
            headers: { 'www-authenticate': wish, 'content-type': 'application/json' },
          }),
      });
      const answer = await proxy(new Request('http://proxy/mcp.example/mcp', { method: 'POST' }));
      const passed = answer.headers.get('www-authenticate');
      expect([answer.status, passed]).toEqual([401, passes ? wish : null]);
    },
  );

  it('holds no more of a message than 16 MB', async () => {
    const proxy = createMcpProxy({
      servers: ['mcp.example'],
      authenticate: () => 'ann',
      fetch: () => Promise.reject(new Error('Nothing is to be asked.')),
    });
    let pieces = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pieces += 1;
        controller.enqueue(new Uint8Array(1_048_576));
      },
    });
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, duplex: 'half' };
    const answer = await proxy(new Request('http://proxy/mcp.example/mcp', init));
    expect(answer.status).toBe(413);
    // One is read ahead.
    expect(pieces).toBeLessThanOrEqual(18);
  });
});
