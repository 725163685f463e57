/**
 * The demo's git proxy: `createGitProxy` as a middleware of Vite's server, so that `npm start` opens git
 * addresses without anything else. A host puts the same handler into its own server.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import type { Plugin } from 'vite';
import { createGitProxy } from '../src/hosts/edge/proxy/create-git-proxy.ts';
import type { ProxyHandler } from '../src/hosts/edge/proxy/create-proxy.ts';

/** Where the demo finds it. */
const path = '/git-proxy';

// Where people keep what they share. More by GIT_PROXY_HOSTS, with commas between.
const publicHosts = [
  'github.com',
  'codeload.github.com',
  'gitlab.com',
  'bitbucket.org',
  'codeberg.org',
];

type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/** Serves the proxy beside the demo, to the demo's own pages. */
export const gitProxy: Plugin = {
  name: 'git-proxy',
  configureServer: ({ middlewares }) => void middlewares.use(createMiddleware()),
  configurePreviewServer: ({ middlewares }) => void middlewares.use(createMiddleware()),
};

function createMiddleware(): Middleware {
  const more = (process.env['GIT_PROXY_HOSTS'] ?? '').split(',').filter(Boolean);
  const proxy = createGitProxy({
    path,
    hosts: [...publicHosts, ...more],
    // Security: pages of other origins, and other programs, have nothing to ask here.
    authenticate: ({ headers }) =>
      headers.get('sec-fetch-site') === 'same-origin' ? 'demo' : null,
  });
  return toMiddleware(proxy, path);
}

/** Converts a handler of web requests to one of Node's. Requests outside `prefix` are passed on. */
export function toMiddleware(handler: ProxyHandler, prefix: string): Middleware {
  return (request, response, next) => {
    if (request.url?.startsWith(`${prefix}/`)) void answer(handler, request, response);
    else next();
  };
}

async function answer(
  handler: ProxyHandler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const controller = new AbortController();
  outgoing.on('close', () => controller.abort());
  const { method = 'GET' } = incoming;
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  const request = new Request(new URL(incoming.url ?? '/', 'http://localhost'), {
    method,
    headers,
    signal: controller.signal,
    ...(method === 'POST' && { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' }),
  } as RequestInit);
  const response = await handler(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (!response.body) {
    outgoing.end();
    return;
  }
  const body = Readable.fromWeb(response.body as NodeStream);
  // The server has closed the connection, or the page has left: nobody needs the error.
  body.on('error', () => outgoing.destroy());
  outgoing.on('error', () => body.destroy());
  body.pipe(outgoing);
}
