// Bun's own server. Used by create-session-server.ts.
import { createPendingSocket, maxBodyBytes, maxPayloadBytes, upgraded } from './listener.ts';
import type { Listen, PendingSocket, SocketEvents } from './listener.ts';

/** The part of Bun's socket that is used here, as a structural type. */
interface BunSocket {
  readonly data: Connection;
  send(frame: string | Uint8Array): number;
  close(code: number, reason: string): void;
  terminate(): void;
  getBufferedAmount(): number;
}

interface BunServer {
  readonly port: number;
  upgrade(
    request: Request,
    options: { readonly headers: Readonly<Record<string, string>>; readonly data: Connection },
  ): boolean;
  stop(closesConnections: boolean): Promise<void>;
}

interface Bun {
  serve(options: {
    readonly port: number;
    readonly hostname: string;
    readonly idleTimeout: number;
    readonly maxRequestBodySize: number;
    fetch(request: Request, server: BunServer): Promise<Response | undefined>;
    readonly websocket: {
      readonly maxPayloadLength: number;
      open(socket: BunSocket): void;
      message(socket: BunSocket, data: string | Uint8Array): void;
      close(socket: BunSocket): void;
    };
  }): BunServer;
}

/** The data that Bun keeps for a socket. */
interface Connection {
  readonly protocol: string;
  readonly pending: PendingSocket;
  readonly events: SocketEvents;
}

export const listenOnBun: Listen = async (handle, { port, hostname }) => {
  const { Bun: bun } = globalThis as unknown as { readonly Bun: Bun };
  const server = bun.serve({
    port,
    hostname,
    // No timeout: an event stream may be silent for long.
    idleTimeout: 0,
    maxRequestBodySize: maxBodyBytes,
    async fetch(request, own) {
      const isUpgrade = request.headers.get('upgrade')?.toLowerCase() === 'websocket';
      if (!isUpgrade) return handle(request, undefined);
      let data: Connection | undefined;
      const response = await handle(request, (protocol, events) => {
        const pending = createPendingSocket();
        data = { protocol, pending, events };
        return { response: upgraded, socket: pending.socket };
      });
      if (response !== upgraded || !data) return response;
      const headers = { 'sec-websocket-protocol': data.protocol };
      if (own.upgrade(request, { headers, data })) return undefined;
      data.events.onClose();
      return new Response('This is no handshake of a WebSocket.\n', { status: 400 });
    },
    websocket: {
      maxPayloadLength: maxPayloadBytes,
      open(socket) {
        socket.data.pending.open({
          send: (frame) => void socket.send(frame),
          close: (code, reason) => socket.close(code, reason),
          cut: () => socket.terminate(),
          unread: () => socket.getBufferedAmount(),
        });
      },
      message: ({ data: { events } }, frame) => events.onFrame(frame),
      close: ({ data: { events } }) => events.onClose(),
    },
  });
  return { port: server.port, close: () => server.stop(true) };
};
