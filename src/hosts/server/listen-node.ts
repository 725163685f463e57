// Node's HTTP server, with WebSockets by the package `ws`, because Node has no WebSocket server.
// Used by create-session-server.ts.
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import type * as Ws from 'ws';
import type { WebSocket, WebSocketServer } from 'ws';
import { SdkError } from '../../core/errors.ts';
import { createPendingSocket, maxPayloadBytes, upgraded } from './listener.ts';
import type { Handle, Listen, SocketEvents } from './listener.ts';

/** @throws SdkError `unsupported-environment` if `ws` isn't installed */
export const listenOnNode: Listen = async (handle, { port, hostname }) => {
  const sockets = await createSocketServer();
  return listen(handle, { port, hostname }, sockets);
};

/** Without WebSockets: clients connect by server-sent events and POST. */
export const listenOnNodeByEvents: Listen = (handle, options) => listen(handle, options);

async function listen(
  handle: Handle,
  { port, hostname }: { readonly port: number; readonly hostname: string },
  sockets?: WebSocketServer,
) {
  // Without it, a client that vanished silently would count as connected, such as a laptop that
  // changes its network.
  const keeping = { keepAlive: true, keepAliveInitialDelay: keepAliveMs };
  const server = createServer(keeping, (from, to) => {
    // If it fails, there is no client to tell.
    void answer(handle, from, to).catch(() => to.destroy());
  });
  if (sockets) {
    server.on('upgrade', (from, socket, head) => {
      void upgrade(handle, sockets, { from, socket, head }).catch(() => socket.destroy());
    });
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, hostname, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const socket of sockets?.clients ?? []) socket.terminate();
      }),
  };
}

/** After one minute of silence the kernel checks whether the other side is reachable. */
const keepAliveMs = 60_000;

async function createSocketServer(): Promise<WebSocketServer> {
  let ws: typeof Ws;
  try {
    ws = await import('ws');
  } catch (cause) {
    throw new SdkError(
      'unsupported-environment',
      "Node has no WebSocket server of its own: npm install ws. Or listen with transport: 'events', and clients connect by server-sent events.",
      { data: { missing: 'ws' }, cause },
    );
  }
  return new ws.WebSocketServer({
    noServer: true,
    maxPayload: maxPayloadBytes,
    perMessageDeflate: false,
    handleProtocols: (_offered, request) => chosen.get(request) ?? false,
  });
}

/** The subprotocol that the wire has selected. */
const chosen = new WeakMap<IncomingMessage, string>();

async function answer(handle: Handle, from: IncomingMessage, to: ServerResponse): Promise<void> {
  const request = toRequest(from);
  await send(request ? await handle(request, undefined) : badRequest(), to);
}

async function send(response: Response, to: ServerResponse): Promise<void> {
  to.writeHead(response.status, [...response.headers].flat());
  if (!response.body) {
    to.end();
    return;
  }
  to.flushHeaders();
  await pipeline(Readable.fromWeb(response.body as NodeStream<Uint8Array>), to);
}

interface UpgradeRequest {
  readonly from: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

async function upgrade(handle: Handle, sockets: WebSocketServer, asked: UpgradeRequest) {
  const { from, socket } = asked;
  // Until ws takes the socket over, an unhandled error would end the process.
  socket.on('error', () => socket.destroy());
  const request = toRequest(from);
  const pending = createPendingSocket();
  let events: SocketEvents | undefined;
  const response = request
    ? await handle(request, (protocol, given) => {
        chosen.set(from, protocol);
        events = given;
        return { response: upgraded, socket: pending.socket };
      })
    : badRequest();
  if (response === upgraded && events) {
    const made = shakeHands(sockets, asked);
    // If it wasn't a valid handshake, ws has already answered.
    if (!made) events.onClose();
    else {
      listenTo(made, events);
      pending.open({
        send: (frame) => made.send(frame),
        close: (code, reason) => made.close(code, reason),
        cut: () => made.terminate(),
        unread: () => made.bufferedAmount,
      });
    }
    return;
  }
  const text = await response.text();
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`);
  const length = new TextEncoder().encode(text).length;
  socket.end(
    `HTTP/1.1 ${response.status} Refused\r\n${lines.join('')}content-length: ${length}\r\nconnection: close\r\n\r\n${text}`,
  );
}

function shakeHands(
  sockets: WebSocketServer,
  { from, socket, head }: UpgradeRequest,
): WebSocket | undefined {
  let made: WebSocket | undefined;
  sockets.handleUpgrade(from, socket, head, (one) => void (made = one));
  return made;
}

function listenTo(socket: WebSocket, { onFrame, onClose }: SocketEvents): void {
  socket.on('message', (data, isBinary) => {
    // The cast is safe: `binaryType` has its default.
    const { buffer, byteOffset, byteLength } = data as Buffer;
    onFrame(isBinary ? new Uint8Array(buffer, byteOffset, byteLength) : String(data as Buffer));
  });
  // The close event follows.
  socket.on('error', () => undefined);
  socket.on('close', onClose);
}

/** Returns undefined if the request's head has no valid address. */
function toRequest(from: IncomingMessage): Request | undefined {
  const { method = 'GET', headers, url = '/' } = from;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  try {
    return new Request(new URL(url, `http://${headers.host ?? 'localhost'}`), {
      method,
      headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
        [value ?? []].flat().map((one) => [name, one]),
      ),
      ...(hasBody && { body: Readable.toWeb(from) as ReadableStream<Uint8Array>, duplex: 'half' }),
    });
  } catch {
    return undefined;
  }
}

function badRequest(): Response {
  return new Response('The request has no valid address.\n', { status: 400 });
}
