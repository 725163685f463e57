// The wire of a session in a Durable Object: sockets that sleep with it, tickets in its SQLite. A `wire` of
// createSessionObject is made by it.
import { checkLimitOptions, checkOptionNames } from '../../../core/check-option-names.ts';
import type { AgentSession } from '../../../agent/agent-session.ts';
import { SdkError } from '../../../core/errors.ts';
import { checkAuthorize } from '../../../wire/check-authorize.ts';
import { checkOrigins } from '../../../wire/check-origins.ts';
import { handleRequests } from '../../../wire/handle-requests.ts';
import type { AcceptedSocket, HandleRequestsOptions } from '../../../wire/handle-requests.ts';
import { defaultWireLimits } from '../../../wire/limits.ts';
import type { WireLimits } from '../../../wire/limits.ts';
import { ping, pong } from '../../../wire/protocol.ts';
import type { ServedFiles } from '../../../wire/feed-client.ts';
import type { MoveServer } from '../../../wire/move-server.ts';
import { serveSession } from '../../../wire/serve-session.ts';
import type { ClientSocket, KeptClient } from '../../../wire/serve-session.ts';
import type { SessionWire } from '../object/session-wire.ts';
import type { DurableStorage } from '../../../workspace/drivers/do-sqlite.ts';
import { createSqlTickets } from './sql-tickets.ts';

/** The part of a Durable Object's `ctx` that its sockets use, as a structural type. */
export interface SocketContext {
  readonly storage: DurableStorage;
  acceptWebSocket(socket: ObjectSocket, tags: string[]): void;
  getWebSockets(tag: string): ObjectSocket[];
  getTags(socket: ObjectSocket): string[];
  setWebSocketAutoResponse(pair: unknown): void;
}

/** The object's end of a hibernating socket, as a structural type. */
export interface ObjectSocket {
  accept(): void;
  send(frame: string | Uint8Array): void;
  close(code: number, reason: string): void;
  serializeAttachment(value: unknown): void;
  deserializeAttachment(): unknown;
}

/** Who may connect to a session, and with which limits. */
export interface ObjectWireOptions extends Pick<HandleRequestsOptions, 'authorize' | 'origins'> {
  readonly limits?: Partial<WireLimits>;
}

/** The tag of the wire's sockets among all sockets of an object. */
const tag = 'rockpool-wire';

/**
 * Lets clients connect to the session of an object. Clients call `connectSession` with the URL of
 * the object's `fetch`, which ends with `/wire`. An idle client doesn't wake the object, and its
 * socket keeps its role and position while the object hibernates. The wire uses the object's one
 * WebSocket auto-response, for pings.
 *
 * @throws SdkError `bad-usage` without `authorize`, and for `origins` that no page has
 *
 * @example
 * ```ts
 * createSessionObject(ctx, {
 *   wasm,
 *   model,
 *   wire: createObjectWire(ctx, { authorize: async (request) => toGrant(request) }),
 * });
 * ```
 */
export function createObjectWire(
  ctx: SocketContext,
  options: ObjectWireOptions,
): (session: AgentSession, files: () => Promise<ServedFiles>, moves?: MoveServer) => SessionWire {
  checkOptionNames('createObjectWire', options, knownOptions);
  const { authorize, origins, limits } = options;
  checkAuthorize('createObjectWire', authorize);
  checkLimitOptions('limits of createObjectWire', limits, defaultWireLimits);
  checkOrigins(origins);
  return (session, files, moves) => {
    const { WebSocketRequestResponsePair } = globalThis as unknown as SocketGlobals;
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(ping, pong));
    const server = serveSession({
      open: () => Promise.resolve(session),
      files,
      ...(limits && { limits }),
    });
    const clients = new Map<unknown, ClientSocket>();
    let isRestored = false;
    /** When the sockets of this instance have connected, until one was heard. */
    const silentSince = new Map<unknown, number>();
    let isHeard = false;

    /** Runs once per instance: sockets survive the previous instance. */
    function restore(): void {
      if (isRestored) return;
      isRestored = true;
      for (const socket of ctx.getWebSockets(tag)) {
        const kept = socket.deserializeAttachment() as KeptClient | null;
        // A socket without an attachment was refused, and its client hasn't closed it yet.
        if (kept) server.join(toClient(socket), kept);
      }
    }

    function toClient(socket: ObjectSocket): ClientSocket {
      const client: ClientSocket = {
        send: (frame) => attempt(() => socket.send(frame)),
        close(code, reason) {
          socket.serializeAttachment(null);
          attempt(() => socket.close(code, reason));
        },
        keep: (kept) => attempt(() => socket.serializeAttachment(kept)),
      };
      clients.set(socket, client);
      return client;
    }

    function accept(protocol: string, _request: Request, isRefused: boolean): AcceptedSocket {
      const { WebSocketPair } = globalThis as unknown as SocketGlobals;
      const { 0: near, 1: far } = new WebSocketPair();
      if (!isRefused && !isHeard) silentSince.set(far, Date.now());
      // The runtime sends the close of a socket that may outlive the event only 10 s later.
      if (isRefused) far.accept();
      else ctx.acceptWebSocket(far, [tag]);
      const upgrade = {
        status: 101,
        headers: { 'sec-websocket-protocol': protocol },
        webSocket: near,
      };
      return {
        response: new Response(null, upgrade as unknown as ResponseInit),
        socket: toClient(far),
      };
    }

    const handle = handleRequests({
      server,
      tickets: createSqlTickets(ctx.storage),
      authorize,
      accept,
      fault() {
        const [firstAt = Infinity] = silentSince.values();
        const isDeaf = silentSince.size >= mostUnheard && Date.now() - firstAt >= unheardMs;
        return isDeaf ? createDeafError() : undefined;
      },
      ...(origins && { origins }),
      ...(moves && { moves }),
    });
    const isOurs = (socket: unknown) => ctx.getTags(socket as ObjectSocket).includes(tag);
    const leave = (socket: unknown): boolean => {
      if (!isOurs(socket)) return false;
      restore();
      // A page that is closed while it connects says nothing.
      if (Date.now() - (silentSince.get(socket) ?? 0) < unheardMs) silentSince.delete(socket);
      const client = clients.get(socket);
      clients.delete(socket);
      if (client) server.leave(client);
      return true;
    };

    return {
      async fetch(request) {
        restore();
        return handle(request);
      },
      async webSocketMessage(socket, data) {
        if (!isOurs(socket)) return false;
        isHeard = true;
        silentSince.clear();
        restore();
        const client = clients.get(socket);
        if (client) await server.receive(client, data);
        return true;
      },
      async webSocketClose(socket, code) {
        const wasOurs = leave(socket);
        // Older runtimes leave the socket half closed. The codes 1005 and 1006 can't be sent.
        const answer = code === 1005 || code === 1006 ? 1000 : code;
        if (wasOurs) attempt(() => (socket as ObjectSocket).close(answer, ''));
        return wasOurs;
      },
      webSocketError: async (socket) => leave(socket),
      moved(sessionId, url) {
        restore();
        server.moved(sessionId, url);
      },
      opened() {
        restore();
        server.attach(session);
        server.renewFiles();
      },
    };
  };
}

/** A client speaks first, and connects again if nothing comes. So these are many and long. */
const mostUnheard = 2;
const unheardMs = 2_000;

function createDeafError(): SdkError {
  return new SdkError(
    'internal',
    "Clients connect to this session, and it hears none of them. Its object's class must pass on webSocketMessage, webSocketClose and webSocketError, as it does fetch.",
  );
}

/** Globals of the Workers runtime. */
interface SocketGlobals {
  readonly WebSocketPair: new () => { readonly 0: ObjectSocket; readonly 1: ObjectSocket };
  readonly WebSocketRequestResponsePair: new (request: string, response: string) => unknown;
}

/** A socket may be closed at any moment and then throws; nobody needs that error. */
function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // The close event follows.
  }
}

const knownOptions = {
  limits: true,
  origins: true,
  authorize: true,
} satisfies Record<keyof ObjectWireOptions, true>;
