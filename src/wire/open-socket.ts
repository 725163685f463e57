// A client's connection by a WebSocket. The ticket is one of the offered subprotocols, because logs
// and proxies store URLs.
import { SdkError } from '../core/errors.ts';
import type { OpenLink, WireLink } from './link.ts';
import type { WireFrame } from './pieces.ts';
import { ticketPrefix, wireProtocol } from './protocol.ts';

/** The used part of a WebSocket, in a page, Node or a Worker. */
export interface WireSocket {
  binaryType: string;
  send(data: string | Uint8Array<ArrayBuffer>): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'open' | 'close' | 'error', listener: () => void): void;
}

/** Opens a socket, which may be open already or still connecting. */
export type CreateSocket = (url: string, protocols: string[]) => WireSocket | Promise<WireSocket>;

/** Without `create` it uses the global `WebSocket`. */
export function createSocketLink(url: string, create: CreateSocket = createOwn): OpenLink {
  const socketUrl = url.replace(/^http/, 'ws');
  return async (ticket, { onFrame, onClose }) => {
    const socket = await create(socketUrl, [wireProtocol, ticketPrefix + ticket]);
    socket.binaryType = 'arraybuffer';
    let isOver = false;
    return new Promise<WireLink>((resolve, reject) => {
      let isOpen = false;
      const link: WireLink = {
        send(frame: WireFrame) {
          if (!isOver) socket.send(frame);
        },
        [Symbol.dispose]() {
          isOver = true;
          socket.close(1000);
        },
      };
      const open = () => {
        isOpen = true;
        resolve(link);
      };
      const close = () => {
        if (!isOpen) reject(noConnection(url));
        else if (!isOver) onClose();
        isOver = true;
      };
      socket.addEventListener('open', open);
      socket.addEventListener('message', ({ data }) => {
        if (!isOver) onFrame(data as string | ArrayBuffer);
      });
      socket.addEventListener('close', close);
      socket.addEventListener('error', close);
      if ((socket as { readonly readyState?: number }).readyState === 1) open();
    });
  };
}

function createOwn(url: string, protocols: string[]): WireSocket {
  return new WebSocket(url, protocols) as unknown as WireSocket;
}

function noConnection(url: string): SdkError {
  return new SdkError(
    'worker-lost',
    `No connection to ${url} came about: it is out of reach, or refuses this page.`,
    {
      data: { url },
    },
  );
}
