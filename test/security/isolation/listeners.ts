// What hears from outside whether anything left: HTTP and WebSocket on every name of the loopback, a
// server that a rule allows, and UDP. Node only.
import { createSocket } from 'node:dgram';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Listeners extends AsyncDisposable {
  readonly port: number;
  readonly allowedPort: number;
  readonly udpPort: number;
  /** What came where nothing may come, and what the allowed server must not be told. In order. */
  readonly hits: string[];
}

const openToAll = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': '*',
  'access-control-allow-methods': '*',
};

export async function startListeners(): Promise<Listeners> {
  const hits: string[] = [];
  const forbidden = createServer((request, response) => {
    hits.push(`http ${request.method} ${request.url} ${request.headers.cookie ?? ''}`);
    answer(request, response);
  });
  forbidden.on('upgrade', (request: IncomingMessage, socket) => {
    hits.push(`websocket ${request.url}`);
    socket.destroy();
  });
  // Dual-stack: IPv4, IPv6, and IPv4 written as IPv6.
  const port = await listen(forbidden, '::');

  const allowed = createServer((request, response) => {
    const { cookie, referer } = request.headers;
    if (cookie !== undefined) hits.push(`cookie ${cookie}`);
    if (referer !== undefined) hits.push(`referrer ${referer}`);
    if (request.url === '/huge') return answerHuge(response);
    if (request.url !== '/redirect') return answer(request, response);
    response
      .writeHead(302, { ...openToAll, location: `http://127.0.0.1:${port}/redirected` })
      .end();
  });
  const allowedPort = await listen(allowed, '127.0.0.1');

  const udp = createSocket('udp4', () => hits.push('udp'));
  await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve));

  return {
    port,
    allowedPort,
    udpPort: udp.address().port,
    hits,
    async [Symbol.asyncDispose]() {
      for (const server of [forbidden, allowed]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
      await new Promise<void>((resolve) => udp.close(resolve));
    },
  };
}

/**
 * Has them hear one request and one datagram, so that what was sent before is known to be heard too.
 * Resolves when both are among the hits.
 */
export async function knock({ port, udpPort, hits }: Listeners): Promise<void> {
  await fetch(`http://127.0.0.1:${port}/knock`);
  const heard = hits.length;
  const socket = createSocket('udp4');
  socket.send('knock', udpPort, '127.0.0.1');
  while (hits.length === heard) await new Promise((resolve) => setImmediate(resolve));
  await new Promise<void>((resolve) => socket.close(resolve));
}

/** Reads as script, style and text alike, and may be read by every page, its cookies included. */
function answer({ headers }: IncomingMessage, response: ServerResponse): void {
  const origin = headers.origin && {
    'access-control-allow-origin': headers.origin,
    'access-control-allow-credentials': 'true',
  };
  response
    .writeHead(200, { ...openToAll, ...origin, 'content-type': 'text/javascript' })
    .end('/* heard */');
}

/** 250 MB, as fast as they are taken. */
function answerHuge(response: ServerResponse): void {
  response.writeHead(200, openToAll);
  const piece = new Uint8Array(1_000_000);
  let left = 250;
  const send = () => {
    while (left > 0) {
      left -= 1;
      if (!response.write(piece)) return void response.once('drain', send);
    }
    response.end();
  };
  send();
}

function listen(server: ReturnType<typeof createServer>, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, address, () => resolve((server.address() as AddressInfo).port));
  });
}
