// Deno's own server. Used by create-session-server.ts.
import { createPendingSocket } from './listener.ts';
import type { Listen, Upgrade } from './listener.ts';

/** The part of Deno that is used here, as a structural type. */
interface Deno {
  serve(
    options: { readonly port: number; readonly hostname: string; onListen(): void },
    handle: (request: Request) => Promise<Response>,
  ): { readonly addr: { readonly port: number }; shutdown(): Promise<void> };
  upgradeWebSocket(
    request: Request,
    options: { readonly protocol: string },
  ): { readonly response: Response; readonly socket: WebSocket };
}

export const listenOnDeno: Listen = async (handle, { port, hostname }) => {
  const { Deno: deno } = globalThis as unknown as { readonly Deno: Deno };
  const open = new Set<WebSocket>();

  const toUpgrade =
    (request: Request): Upgrade =>
    (protocol, { onFrame, onClose }) => {
      const { response, socket } = deno.upgradeWebSocket(request, { protocol });
      socket.binaryType = 'arraybuffer';
      open.add(socket);
      const pending = createPendingSocket();
      let isOver = false;
      const end = () => {
        if (isOver) return;
        isOver = true;
        open.delete(socket);
        onClose();
      };
      socket.addEventListener('open', () =>
        pending.open({
          send(frame) {
            if (socket.readyState === 1) socket.send(frame);
          },
          close: (code, reason) => socket.close(code, reason),
          // Deno has no stronger way to close a socket.
          cut: () => socket.close(1011, 'It is read too slowly.'),
          unread: () => socket.bufferedAmount,
        }),
      );
      socket.addEventListener('message', ({ data }) => onFrame(data as string | ArrayBuffer));
      socket.addEventListener('close', end);
      socket.addEventListener('error', end);
      return { response, socket: pending.socket };
    };

  const server = deno.serve({ port, hostname, onListen: () => undefined }, (request) => {
    const isUpgrade = request.headers.get('upgrade')?.toLowerCase() === 'websocket';
    return handle(request, isUpgrade ? toUpgrade(request) : undefined);
  });
  return {
    port: server.addr.port,
    async close() {
      for (const socket of open) socket.close(1012, 'The server ends.');
      await server.shutdown();
    },
  };
};
