// What a runtime's own server of HTTP and WebSockets must do for sessions: the port that listen-node.ts,
// listen-deno.ts and listen-bun.ts are behind.
import { maxUnreadBytes } from '../../wire/handle-requests.ts';
import type { AcceptedSocket } from '../../wire/handle-requests.ts';
import { maxFrameBytes } from '../../wire/pieces.ts';
import type { WireFrame } from '../../wire/pieces.ts';
import { maxMoveBytes } from '../../wire/move-server.ts';
import type { ClientSocket } from '../../wire/serve-session.ts';

/** Where to listen. */
export interface ListenerOptions {
  readonly port: number;
  readonly hostname: string;
}

/** What comes over an accepted socket. `onClose` is called once, whoever closes it. */
export interface SocketEvents {
  onFrame(frame: string | ArrayBuffer | Uint8Array): void;
  onClose(): void;
}

/**
 * Accepts the WebSocket of the request that it came with, once. Nothing comes over it before the request is answered.
 */
export type Upgrade = (protocol: string, events: SocketEvents) => AcceptedSocket;

/** Never rejects. `upgrade` is there where the request asks for a WebSocket and there can be one. */
export type Handle = (request: Request, upgrade: Upgrade | undefined) => Promise<Response>;

/** A server that listens. */
export interface Listener {
  readonly port: number;
  /** Takes no more, and breaks what is open. */
  close(): Promise<void>;
}

export type Listen = (handle: Handle, options: ListenerOptions) => Promise<Listener>;

/**
 * What a runtime takes as one frame. It is twice what the wire takes, so that a client above its
 * limit is told by the wire's own sentence.
 */
export const maxPayloadBytes = 2 * maxFrameBytes;

/** The same of a request's body: the largest is a message of a move. */
export const maxBodyBytes = 2 * maxMoveBytes;

/** For a response that the runtime sends by itself: none can be made with this status. */
export const upgraded = { status: 101 } as Response;

/** An open socket of the runtime's. */
export interface RuntimeSocket {
  send(frame: WireFrame): void;
  close(code: number, reason: string): void;
  /** Without a farewell. */
  cut(): void;
  /** Bytes that its client hasn't taken yet. */
  unread(): number;
}

/** The wire's end of a socket that isn't open yet: what it is told waits until then. */
export interface PendingSocket {
  readonly socket: ClientSocket;
  open(socket: RuntimeSocket): void;
}

/** A client that reads too slowly is cut: what waits for it is memory of all. */
export function createPendingSocket(): PendingSocket {
  let opened: RuntimeSocket | undefined;
  const waiting: ((socket: RuntimeSocket) => void)[] = [];
  const act = (now: (socket: RuntimeSocket) => void): void => {
    if (opened) now(opened);
    else waiting.push(now);
  };
  return {
    socket: {
      send: (frame) =>
        act((socket) => {
          if (socket.unread() > maxUnreadBytes) socket.cut();
          else socket.send(frame);
        }),
      close: (code, reason) => act((socket) => socket.close(code, reason)),
    },
    open(socket) {
      opened = socket;
      for (const now of waiting.splice(0)) now(socket);
    },
  };
}
