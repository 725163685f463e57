/**
 * A built page, served on loopback with the policy that the demo ships with: what the headless
 * command, the end-to-end tests and the benches drive.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { extname } from 'node:path';
import { contentSecurityPolicy } from '../demo/content-security-policy.ts';
import { isAppFrame } from './app-frame.ts';
import { buildPage } from './build-page.ts';
import type { PageFiles } from './build-page.ts';

const mimeTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

export interface BuiltPageOptions {
  /** The page's file below the repository's root. */
  readonly page: string;
  /** @defaultValue the demo's */
  readonly policy?: string;
  /** Sent with every answer, beside the policy. */
  readonly headers?: Readonly<Record<string, string>>;
  /** HTML that its head has besides. */
  readonly head?: string;
  /** Answers what isn't a file of the page; false where it doesn't know the path either. */
  readonly handle?: (path: string, request: IncomingMessage, response: ServerResponse) => boolean;
  /** The same for WebSockets. */
  readonly upgrade?: (path: string, request: IncomingMessage, socket: Duplex) => boolean;
}

/** Close it when done. */
export interface BuiltPage {
  readonly url: string;
  close(): Promise<void>;
}

export async function serveBuiltPage(options: BuiltPageOptions): Promise<BuiltPage> {
  const { page, policy = contentSecurityPolicy, headers = {}, head, handle, upgrade } = options;
  const files = withHead(await buildPage(page), head);
  // Security: the port is open to every user of this machine; the path is not to be guessed.
  const prefix = `/${randomUUID()}/`;
  const toPath = (pathname: string) =>
    pathname.startsWith(prefix) ? pathname.slice(prefix.length) : undefined;
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const path = toPath(pathname);
    const file = path === undefined ? undefined : files.get(path);
    if (!isAppFrame(pathname)) response.setHeader('content-security-policy', policy);
    response.setHeaders(new Headers(headers));
    if (path !== undefined && file !== undefined) {
      // Named by what they hold. A page that comes again asks for itself alone, as with any host of such files.
      if (path.startsWith('assets/'))
        response.setHeader('cache-control', 'max-age=3600, immutable');
      const type = mimeTypes[extname(path)] ?? 'application/octet-stream';
      response.setHeader('content-type', type).end(file);
    } else if (path === undefined || !handle?.(path, request, response)) {
      response.writeHead(404).end();
    }
  });
  server.on('upgrade', (request, socket) => {
    const path = toPath(new URL(request.url ?? '/', 'http://localhost').pathname);
    if (path === undefined || !upgrade?.(path, request, socket)) socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const name = page.slice(page.lastIndexOf('/') + 1);
  return {
    url: `http://127.0.0.1:${port}${prefix}${name}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function withHead(files: PageFiles, head: string | undefined): PageFiles {
  if (head === undefined) return files;
  const put = (name: string, bytes: Uint8Array) =>
    name.endsWith('.html')
      ? Buffer.from(Buffer.from(bytes).toString().replace('</head>', `${head}</head>`))
      : bytes;
  return new Map([...files].map(([name, bytes]) => [name, put(name, bytes)]));
}
