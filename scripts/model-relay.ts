/**
 * A relay on loopback between the headless command's page and the model's server, which may never have
 * heard of pages and sends no CORS headers. It speaks to that one server, for that one page.
 */
import { randomUUID } from 'node:crypto';
import { createServer, request as requestHttp } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface ModelRelayOptions {
  /** Requests go to this server, to paths below this one. */
  readonly baseUrl: string;
  /** The page's origin; no other is answered. */
  readonly origin: string;
}

/** Close it when done. */
export interface ModelRelay {
  /** Stands in the place of the server's origin: paths follow it as they are there. */
  readonly url: string;
  close(): Promise<void>;
}

/** They are about one connection, or about the page: the other side has its own. */
const ownHeaders = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
  'origin',
  'referer',
  'cookie',
  'set-cookie',
]);

const isOfPage = (name: string) =>
  name.startsWith('sec-fetch-') || name.startsWith('access-control-');

/** Bodies are streamed both ways as they come. Nothing is logged: the headers carry the key. */
export async function startModelRelay(options: ModelRelayOptions): Promise<ModelRelay> {
  // Security: the port is open to every user of this machine; the path is not to be guessed.
  const prefix = `/${randomUUID()}`;
  const server = createServer((request, response) => relay(request, response, prefix, options));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${prefix}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function relay(
  request: IncomingMessage,
  response: ServerResponse,
  prefix: string,
  { baseUrl, origin }: ModelRelayOptions,
): void {
  const path = request.url ?? '';
  // Security: without this any page in any browser of this machine could speak through it.
  if (request.headers.origin !== origin || !path.startsWith(`${prefix}/`)) {
    response.writeHead(403).end();
    return;
  }
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('vary', 'origin');
  if (request.method === 'OPTIONS') {
    allow(request, response);
    return;
  }
  const url = toTarget(baseUrl, path.slice(prefix.length));
  if (!url) {
    response.writeHead(403).end();
    return;
  }
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const outgoing = send(url, { method: request.method, headers: withoutOwn(request.headers) });
  outgoing.on('response', (incoming) => {
    const headers = withoutOwn(incoming.headers);
    // The page reads some of them, such as when to try again.
    response.setHeader('access-control-expose-headers', Object.keys(headers).join(', '));
    response.writeHead(incoming.statusCode ?? 502, headers);
    response.flushHeaders();
    incoming.pipe(response);
    // Cut there is cut here: half an answer must not look like a whole one.
    incoming.on('error', () => response.destroy());
  });
  // Nothing came: for the page, too, the network failed.
  outgoing.on('error', () => response.destroy());
  request.on('error', () => outgoing.destroy());
  // The page has stopped the request: closing the connection tells the server.
  response.on('close', () => outgoing.destroy());
  request.pipe(outgoing);
}

/** The answer to the question that a browser asks before the request. */
function allow(request: IncomingMessage, response: ServerResponse): void {
  const asked = request.headers['access-control-request-headers'];
  response.setHeader('access-control-allow-methods', 'GET, POST');
  if (asked !== undefined) response.setHeader('access-control-allow-headers', asked);
  // Chromium asks this where a page speaks to this machine.
  if (request.headers['access-control-request-private-network'] === 'true') {
    response.setHeader('access-control-allow-private-network', 'true');
  }
  response.writeHead(204).end();
}

/**
 * Security: undefined for what isn't below the base URL, such as a path with `..` in it. The relay
 * must lead to what was named on the command line and nowhere else.
 */
function toTarget(baseUrl: string, rest: string): URL | undefined {
  const base = new URL(baseUrl);
  const path = base.pathname.replace(/\/+$/, '');
  const target = URL.parse(`${base.origin}${rest}`);
  if (target?.origin !== base.origin || !target.pathname.startsWith(`${path}/`)) return undefined;
  return target;
}

function withoutOwn(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !ownHeaders.has(name) && !isOfPage(name)),
  );
}
