// MCP servers elsewhere that don't mean well: each costs a sentence, and the next call goes on.
import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createServerFetch } from '../../../src/core/host-ports/fetch-port.ts';
import { defaultBounds } from '../../../src/mcp/client/bounds.ts';
import type { McpBounds } from '../../../src/mcp/client/bounds.ts';
import { connectServer } from '../../../src/mcp/client/connect-server.ts';
import { startMcpServer } from '../../support/mcp/mcp-server.ts';
import type { Intercept } from '../../support/mcp/mcp-server.ts';

const silent = {
  abilities: { samples: false, root: '/workspace' },
  onOffer: () => undefined,
  onLost: () => undefined,
  onEvent: () => undefined,
  onQuestion: async () => ({ type: 'refused', message: 'Nobody is here.' }) as const,
};
const fetchPort = createServerFetch((url, init) => fetch(url, init));

/** Answers those of one method by hand. */
const answer =
  (method: string, give: (response: ServerResponse, id: unknown) => void): Intercept =>
  ({ body }, response) => {
    if (!body.includes(`"method":"${method}"`)) return undefined;
    const { id } = JSON.parse(body) as { readonly id: unknown };
    give(response, id);
    return true;
  };

const result = (response: ServerResponse, id: unknown, fields: Record<string, unknown>) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const base = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { ...base, ...fields } }));
};

const tool = (name: string, inputSchema: unknown = { type: 'object' }) => ({
  name,
  description: 'Is one.',
  inputSchema,
});

async function connect(by: Intercept, bounds: Partial<McpBounds> = {}) {
  const server = await startMcpServer();
  onTestFinished(() => server[Symbol.asyncDispose]());
  server.intercept(by);
  const realm = { fetch: fetchPort, bounds: { ...defaultBounds, ...bounds } };
  const config = { type: 'http', url: server.url } as const;
  const connection = await connectServer(config, silent, new AbortController().signal, realm);
  onTestFinished(() => connection.close());
  return { server, connection };
}

const callOptions = () => ({ signal: new AbortController().signal, onProgress: () => undefined });

describe('a list of tools', () => {
  it.each([
    ['never ends', (page: number) => [tool(`t${page}`)], { tools: 50 }],
    [
      'is longer than may be',
      () => Array.from({ length: 10 }, (_, at) => tool(`t${at}`)),
      { tools: 9 },
    ],
    [
      'is larger than may be',
      () => [{ ...tool('t'), description: 'x'.repeat(999) }],
      { listChars: 900 },
    ],
  ] as const)('that %s is refused', async (_, list, bounds) => {
    let page = 0;
    const endless = answer('tools/list', (response, id) => {
      page += 1;
      result(response, id, { tools: list(page), nextCursor: String(page) });
    });
    await expect(connect(endless, bounds)).rejects.toMatchObject({ code: 'limit-exceeded' });
  });

  it('loses the tools that can’t be offered, and says why', async () => {
    let deep: unknown = {};
    for (let at = 0; at < 100; at += 1) deep = { properties: deep };
    const listed = [
      tool('fine'),
      tool('fine'),
      tool('deep', { type: 'object', properties: deep }),
      tool('long', { type: 'object', description: 'x'.repeat(70_000) }),
      tool('header', {
        type: 'object',
        properties: { a: { type: 'object', 'x-mcp-header': 'Host: evil' } },
      }),
      { ...tool('said'), description: `Looks \u202Ereversed\u202C\u0007 ${'x'.repeat(3_000)}` },
    ];
    const { connection } = await connect(
      answer('tools/list', (response, id) => result(response, id, { tools: listed })),
    );
    const { tools, problems } = connection.offer;
    expect(tools.map(({ name }) => name)).toEqual(['fine', 'said']);
    expect(tools[1]?.description).toMatch(/^Looks reversed x+…$/u);
    expect(tools[1]?.description).toHaveLength(2_000);
    expect(problems).toEqual([
      expect.stringContaining('another one has the same name'),
      expect.stringContaining('nests deeper than 64'),
      expect.stringContaining('may have 65536'),
      expect.stringContaining('x-mcp-header'),
    ]);
  });
});

describe('an answer', () => {
  it('that is longer than may be is cut as it comes', async () => {
    let sent = 0;
    const { server, connection } = await connect(() => undefined, { messageBytes: 100_000 });
    server.intercept(
      answer('tools/call', (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const more = () => {
          while (!response.destroyed && response.write('x'.repeat(10_000))) sent += 10_000;
        };
        response.on('drain', more);
        more();
      }),
    );
    const call = connection.call('echo', {}, callOptions());
    await expect(call).rejects.toMatchObject({ code: 'limit-exceeded' });
    expect(sent).toBeLessThan(50_000_000);
    server.intercept(undefined);
    expect(await connection.call('echo', { text: 'On.' }, callOptions())).toMatchObject({
      content: [{ text: 'On.' }],
    });
  });

  it('that comes a byte at a time, and progress all the while, ends with its deadline', async () => {
    const { server, connection } = await connect(() => undefined);
    const timers: ReturnType<typeof setInterval>[] = [];
    onTestFinished(() => timers.forEach(clearInterval));
    server.intercept(
      answer('tools/call', (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        timers.push(setInterval(() => response.write(': still here\n\n'), 20));
      }),
    );
    const call = connection.call('echo', {}, { ...callOptions(), timeoutMs: 200 });
    await expect(call).rejects.toThrow('took longer than 0.2 s');
  });

  /** Writes as much as it can take, without an end. */
  const pour = (response: ServerResponse, part: string) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const more = () => {
      while (!response.destroyed && response.write(part));
    };
    response.on('drain', more);
    response.write('data: ');
    more();
  };

  it('that is a stream of one event without an end is cut as it comes, and other calls go on', async () => {
    const { server, connection } = await connect(() => undefined, { messageBytes: 100_000 });
    const stopping = new AbortController();
    const other = connection.call('slow', {}, { ...callOptions(), signal: stopping.signal });
    const hasCome = () => server.requests.some(({ body }) => body.includes('"slow"'));
    await expect.poll(hasCome, { timeout: 240_000 }).toBe(true);
    server.intercept(answer('tools/call', (response) => pour(response, 'x'.repeat(10_000))));
    const call = connection.call('echo', {}, { ...callOptions(), timeoutMs: 60_000 });
    await expect(call).rejects.toMatchObject({
      code: 'limit-exceeded',
      data: { maxBytes: 100_000 },
    });
    server.intercept(undefined);
    expect(await connection.call('echo', { text: 'On.' }, callOptions())).toMatchObject({
      content: [{ text: 'On.' }],
    });
    stopping.abort();
    await expect(other).rejects.toMatchObject({ code: 'aborted' });
  });

  it('that is a stream of events without an end ends with its deadline', async () => {
    const { server, connection } = await connect(() => undefined, { messageBytes: 100_000 });
    server.intercept(answer('tools/call', (response) => pour(response, ': still here\n\n')));
    const call = connection.call('echo', {}, { ...callOptions(), timeoutMs: 300 });
    await expect(call).rejects.toThrow('took longer than 0.3 s');
  });

  it('that leads elsewhere is not followed', async () => {
    const other = await startMcpServer();
    onTestFinished(() => other[Symbol.asyncDispose]());
    const { server, connection } = await connect(() => undefined);
    server.intercept(
      answer('tools/call', (response) => {
        response.writeHead(307, { location: other.url }).end();
      }),
    );
    const call = connection.call('echo', { text: 'Hello.' }, callOptions());
    await expect(call).rejects.toMatchObject({ code: 'mcp-failed' });
    expect(other.requests).toEqual([]);
  });

  it('to another request is nobody’s', async () => {
    const { server, connection } = await connect(() => undefined);
    server.intercept(answer('tools/call', (response) => result(response, 999, { content: [] })));
    const call = connection.call('echo', {}, { ...callOptions(), timeoutMs: 300 });
    await expect(call).rejects.toMatchObject({ code: 'mcp-failed' });
  });
});

describe('a server', () => {
  it('that never answers is given up', async () => {
    await expect(connect(() => true, { connectMs: 200 })).rejects.toThrow('took longer than 0.2 s');
  });

  it('hears that a call was cut', async () => {
    const { server, connection } = await connect(() => undefined);
    let left = () => {};
    const gone = new Promise<void>((resolve) => {
      left = resolve;
    });
    server.intercept(
      answer('tools/call', (response) => {
        response.on('close', left);
        controller.abort();
      }),
    );
    const controller = new AbortController();
    const call = connection.call('slow', {}, { ...callOptions(), signal: controller.signal });
    await expect(call).rejects.toMatchObject({ code: 'aborted' });
    await gone;
  });

  it('that asks for input for ever is answered no more', async () => {
    const { server, connection } = await connect(() => undefined, { inputRounds: 3 });
    let rounds = 0;
    server.intercept(
      answer('tools/call', (response, id) => {
        rounds += 1;
        result(response, id, {
          resultType: 'input_required',
          requestState: String(rounds),
          inputRequests: {},
        });
      }),
    );
    const call = connection.call('echo', {}, { ...callOptions(), timeoutMs: 5_000 });
    await expect(call).rejects.toMatchObject({ code: 'mcp-failed' });
    expect(rounds).toBeLessThanOrEqual(4);
  });
});
