/**
 * The demo's cloud on this machine. It passes what the page asks below `api/sessions` on to a
 * Worker as demo/edge has it. It adds that Worker's password, so that the page needs none. HTTP,
 * server-sent events and WebSockets. `npm start -- --edge` puts it before Vite's server, tests
 * before the page that they serve.
 */
import { request as ask } from 'node:http';
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Plugin } from 'vite';

/** Where the Worker is, and what it lets a page in by. */
export interface LocalCloud {
  readonly url: string;
  readonly password: string;
}

/** Both say whether the path was the cloud's. */
export interface CloudProxy {
  handle(path: string, request: IncomingMessage, response: ServerResponse): boolean;
  upgrade(path: string, request: IncomingMessage, socket: Duplex): boolean;
}

/** Where the page finds it, beside itself. */
const place = 'api/sessions';

const meta = { name: 'cloud', content: `./${place}` };

/** One minute without a byte: after a crash of its own workerd, wrangler takes requests and answers none. */
const defaultSilentMs = 60_000;

const silentCloud =
  'The cloud on this machine does not answer. If that lasts, run npm start -- --edge again.';

/** What the page's head has where there is a cloud. */
export const cloudHead = `<meta name="${meta.name}" content="${meta.content}" />`;

export function createCloudProxy(
  { url, password }: LocalCloud,
  silentMs = defaultSilentMs,
): CloudProxy {
  const { host, hostname, port, origin } = new URL(url);

  function pass(path: string, { method, headers }: IncomingMessage): ClientRequest {
    // Who has a ticket is let in by that.
    const hasTicket =
      /\/wire(?:\/move)?$/u.test(withoutQuery(path)) || headers.authorization !== undefined;
    const passed = ask({
      hostname,
      port,
      path: `/${path}`,
      ...(method !== undefined && { method }),
      headers: {
        ...headers,
        host,
        ...(headers.origin !== undefined && { origin }),
        ...(!hasTicket && { authorization: `Bearer ${password}` }),
      },
      timeout: silentMs,
    });
    passed.on('timeout', () => passed.destroy(new Error(silentCloud)));
    // An answer that has begun may be silent for long, as server-sent events are.
    const hasBegun = ({ socket }: IncomingMessage) => socket.setTimeout(0);
    return passed.once('response', hasBegun).once('upgrade', hasBegun);
  }

  return {
    handle(path, request, response) {
      if (!isCloudPath(path)) return false;
      if (!isOwnPage(request)) {
        response.writeHead(403).end('Only the page itself may ask its cloud.');
        return true;
      }
      const passed = pass(path, request);
      passed.on('response', (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
        // The Worker broke off: there is no way to say so but to break off, too.
        answer.on('error', () => response.destroy());
      });
      passed.on('error', () => {
        if (response.headersSent) response.destroy();
        else response.writeHead(502).end(silentCloud);
      });
      response.on('close', () => passed.destroy());
      request.pipe(passed);
      return true;
    },
    upgrade(path, request, socket) {
      if (!isCloudPath(path)) return false;
      socket.on('error', () => socket.destroy());
      if (!isOwnPage(request)) {
        socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
        return true;
      }
      const passed = pass(path, request);
      passed.on('upgrade', (answer, through, head) => {
        socket.write(toHead(answer));
        if (head.length > 0) socket.write(head);
        through.on('error', () => socket.destroy());
        socket.on('close', () => through.destroy());
        through.on('close', () => socket.destroy());
        through.pipe(socket).pipe(through);
      });
      passed.on('response', ({ statusCode, statusMessage }) => {
        passed.destroy();
        socket.end(`HTTP/1.1 ${statusCode} ${statusMessage}\r\nconnection: close\r\n\r\n`);
      });
      passed.on('error', () => socket.destroy());
      passed.end();
      return true;
    },
  };
}

/** Puts it before Vite's server, and names it to the page. */
export function servedCloud(cloud: LocalCloud): Plugin {
  const proxy = createCloudProxy(cloud);
  const toPath = ({ url = '/' }: IncomingMessage) => url.slice(1);
  return {
    name: 'served-cloud',
    apply: 'serve',
    // What the Worker stores and builds there is nothing that the page is made of.
    config: () => ({ server: { watch: { ignored: ['**/demo/edge/**'] } } }),
    configureServer({ middlewares, httpServer }) {
      middlewares.use((request, response, next) => {
        if (!proxy.handle(toPath(request), request, response)) next();
      });
      httpServer?.on('upgrade', (request, socket) => {
        proxy.upgrade(toPath(request), request, socket);
      });
    },
    transformIndexHtml: () => [{ tag: 'meta', attrs: meta, injectTo: 'head' }],
  };
}

const withoutQuery = (path: string) => path.replace(/\?.*$/su, '');

const isCloudPath = (path: string) => `${withoutQuery(path)}/`.startsWith(`${place}/`);

/** Security: pages of other origins, and programs that know no password, have nothing to ask here. */
function isOwnPage({ headers }: IncomingMessage): boolean {
  if (headers.origin !== undefined) return headers.origin === `http://${headers.host}`;
  return headers['sec-fetch-site'] === 'same-origin';
}

function toHead({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}
