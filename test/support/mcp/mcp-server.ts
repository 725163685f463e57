// MCP servers on the loopback, by the protocol's own server package. Their tools may change, they may stop and
// restart, and tests may replace any answer. Node only.
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import type { Plugin } from 'vite';
import * as z from 'zod';
import { createTaskBoard } from './mcp-tasks.ts';

/** Answers a request instead of the server. Undefined: the server answers. */
export type Intercept = (
  request: {
    readonly method: string;
    readonly path: string;
    readonly body: string;
    readonly headers: Headers;
  },
  response: ServerResponse,
) => boolean | undefined;

export interface TestMcpServer extends AsyncDisposable {
  readonly url: string;
  /** Bodies of the requests, oldest first. */
  readonly requests: readonly { readonly body: string; readonly headers: Headers }[];
  /** Sets the function that answers requests from now on. */
  intercept(by: Intercept | undefined): void;
  /** Closes open connections, and accepts no more until `start`. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** The process that has started it isn't kept alive by it. */
  unref(): void;
  /** Tells its clients that it offers these tools now. */
  offer(...names: string[]): void;
  /** Tells its clients of changes. */
  readonly notify: ReturnType<typeof createMcpHandler>['notify'];
}

/**
 * Offers `echo`, `add`, `slow` and `remove`, those of `offer`, and what `extend` gives it. CORS is open to every page.
 */
export async function startMcpServer(
  port = 0,
  extend: (server: McpServer) => void = () => undefined,
): Promise<TestMcpServer> {
  const requests: { body: string; headers: Headers }[] = [];
  let intercepting: Intercept | undefined;
  let more: readonly string[] = [];
  const handler = createMcpHandler(() => {
    const created = createTools(more);
    extend(created);
    return created;
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request);
    const headers = new Headers(request.headers as Record<string, string>);
    // `/closed` allows no other origin.
    const cors: Readonly<Record<string, string>> = request.url === '/closed' ? {} : openToAll;
    for (const [name, value] of Object.entries(cors)) response.setHeader(name, value);
    if (request.method === 'OPTIONS') {
      response.writeHead(204).end();
      return;
    }
    requests.push({ body, headers });
    const { method = '', url: path = '' } = request;
    if (intercepting?.({ method, path, body, headers }, response)) return;
    const stopping = new AbortController();
    response.on('close', () => stopping.abort());
    const given = await handler.fetch(
      new Request(`http://loopback${request.url}`, {
        method: request.method ?? 'GET',
        headers,
        signal: stopping.signal,
        ...(body !== '' && { body }),
      }),
    );
    response.writeHead(given.status, Object.fromEntries(given.headers));
    if (!given.body) response.end();
    else Readable.fromWeb(given.body as never).pipe(response);
  };
  let server: Server;
  let address = port;
  const start = async () => {
    server = createServer((request, response) => {
      answer(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    await new Promise<void>((resolve) => {
      server.listen(address, '127.0.0.1', resolve);
    });
    address = (server.address() as AddressInfo).port;
  };
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await start();
  return {
    url: `http://127.0.0.1:${address}/mcp`,
    requests,
    notify: handler.notify,
    intercept: (by) => {
      intercepting = by;
    },
    stop,
    start,
    unref: () => void server.unref(),
    offer(...names) {
      more = names;
      handler.notify.toolsChanged();
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await handler.close();
    },
  };
}

/**
 * For tests in a page. `/mcp-server` of the tests' own server tells the URL of one on another
 * origin, and `/mcp-server/tasks` that of one that answers by tasks.
 */
export function mcpServerBeside(): Plugin {
  return {
    name: 'mcp-server-beside',
    configureServer(vite) {
      const started = new Map<string, Promise<TestMcpServer>>();
      vite.middlewares.use('/mcp-server', ({ url: path = '' }, response) => {
        const extend = path === '/tasks' ? createTaskBoard().extend : undefined;
        const server = started.get(path) ?? startMcpServer(0, extend);
        started.set(path, server);
        void server.then(({ url }) => response.end(url));
      });
      vite.httpServer?.on('close', () => {
        for (const server of started.values())
          void server.then((one) => one[Symbol.asyncDispose]());
      });
    },
  };
}

const openToAll = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': '*, authorization',
  'access-control-allow-methods': 'GET, POST, DELETE',
  'access-control-expose-headers': '*',
};

function createTools(more: readonly string[]): McpServer {
  const server = new McpServer(
    { name: 'test-server', version: '1.2.3' },
    { instructions: 'Call echo to hear yourself.', capabilities: { tools: { listChanged: true } } },
  );
  const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });
  server.registerTool(
    'echo',
    {
      description: 'Says the same.',
      inputSchema: z.object({ text: z.string() }),
      annotations: { readOnlyHint: true, title: 'Echo' },
    },
    ({ text: words }) => text(words),
  );
  server.registerTool(
    'add',
    { description: 'Adds.', inputSchema: z.object({ a: z.number(), b: z.number() }) },
    ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
  );
  server.registerTool(
    'slow',
    { description: 'Never answers.', inputSchema: z.object({}) },
    () => new Promise<never>(() => undefined),
  );
  server.registerTool(
    'remove',
    {
      description: 'Removes all.',
      inputSchema: z.object({}),
      annotations: { destructiveHint: true },
    },
    () => ({ ...text('It is protected.'), isError: true }),
  );
  for (const name of more) {
    server.registerTool(name, { description: `Is ${name}.`, inputSchema: z.object({}) }, () =>
      text(name),
    );
  }
  return server;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
