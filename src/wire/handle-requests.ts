// Handles the HTTP requests of a session's wire: tickets, WebSocket upgrades, and server-sent
// events with POST. The same on every host, except how a socket is accepted.
import { SdkError } from '../core/errors.ts';
import { readBytes } from '../core/bytes/read-bytes.ts';
import { createId } from '../core/ids.ts';
import { encodeBase64 } from '../core/bytes/base64.ts';
import { systemClock } from '../core/async/system-clock.ts';
import type { Clock } from '../core/tool/ports.ts';
import { eventsType, protocolHeader } from './open-events.ts';
import { maxFrameBytes } from './pieces.ts';
import { ticketPrefix, toWireError, wireProtocol } from './protocol.ts';
import type { WireGrant } from './protocol.ts';
import { closeCodes } from './serve-session.ts';
import type { ClientSocket, SessionServer } from './serve-session.ts';
import { issueTicket, redeemTicket } from './tickets.ts';
import type { TicketStore } from './tickets.ts';
import { maxMoveBytes, moveBytesPerMs, moveType } from './move-server.ts';
import type { MoveServer } from './move-server.ts';
import { otherVersion } from './wire-refusals.ts';

/** What the handler needs. */
export interface HandleRequestsOptions {
  readonly server: SessionServer;
  readonly tickets: TicketStore;
  /**
   * Authorizes a caller that asks for a ticket, by a cookie, a header or your own token. Undefined
   * refuses it. Called only for tickets.
   */
  authorize(request: Request): WireGrant | undefined | Promise<WireGrant | undefined>;
  /**
   * The origins whose pages may connect, such as `https://app.example.org`. A client without an
   * origin isn't a page and isn't restricted by it.
   * @defaultValue the origin of the request's own address
   */
  readonly origins?: readonly string[];
  /** Handles moves of sessions to and from here. Left out: sessions can't be moved. */
  readonly moves?: MoveServer;
  /**
   * Accepts the WebSocket of the request, with that subprotocol. `isRefused`: it is only told why, and closed at once.
   */
  accept(protocol: string, request: Request, isRefused: boolean): AcceptedSocket;
  /** Why no client may connect now, whatever its ticket. Left out: nothing prevents it. */
  fault?(): SdkError | undefined;
  /** @defaultValue the system clock */
  readonly clock?: Clock;
}

/** A WebSocket that was accepted. */
export interface AcceptedSocket {
  readonly response: Response;
  readonly socket: ClientSocket;
}

/** Resolves to undefined if the request isn't for the wire. */
export type WireHandler = (request: Request) => Promise<Response | undefined>;

/** The last part of the address of a session's wire; `/ticket` below it issues tickets. */
const wirePath = '/wire';

/** 16 MiB: a client with so much unread data is gone, or too slow. */
export const maxUnreadBytes = 16_777_216;

/**
 * How many move requests may wait for the one before. A caller sends one request at a time, and
 * repeats it if it is lost.
 */
const maxMovesInLine = 8;

/** 10 s without a byte of a move's body: the sender is gone, and others wait. */
const silentMs = 10_000;

/** 2 min, plus the time that the bytes take: the sender doesn't wait longer for the answer. */
const moveMs = 120_000;

/**
 * 30 s: the Workers runtime notices that the client of a response is gone when it sends something.
 * Until then the object stays in memory, and the client counts for the limit.
 */
const probeMs = 30_000;

/** The address below which sessions are moved. */
const movePath = '/wire/move';

/** Serves addresses that end with `/wire`, `/wire/ticket` and `/wire/move`. */
export function handleRequests(options: HandleRequestsOptions): WireHandler {
  const { server, tickets, authorize, origins, moves, accept, clock = systemClock } = options;
  /** The connections by server-sent events, by their secrets. */
  const links = new Map<string, EventsLink>();
  let probing: Disposable | undefined;
  /** Settles when the newest move request is answered. */
  let moved: Promise<unknown> = Promise.resolve();
  let movesInLine = 0;

  async function route(request: Request, path: string): Promise<Response> {
    if (request.headers.get('upgrade')?.toLowerCase() === 'websocket') return upgrade(request);
    if (request.method !== 'POST') {
      throw new Refusal(
        405,
        'bad-usage',
        'Connect to a session with connectSession: it opens a WebSocket, or posts.',
      );
    }
    if (path.endsWith('/ticket')) return giveTicket(request);
    if (path.endsWith(movePath)) return move(request);
    if (request.headers.get('accept') === eventsType) return openEvents(request);
    return takeFrame(request);
  }

  async function giveTicket(request: Request): Promise<Response> {
    const grant = await authorize(request);
    if (!grant)
      throw new Refusal(
        401,
        'permission-denied',
        'This session is not yours to connect to. Sign in first.',
      );
    // Whoever is gone needn't be counted when this caller connects.
    probe();
    return Response.json({ ticket: await issueTicket(tickets, grant, clock.now()) });
  }

  function probe(): void {
    for (const link of links.values()) link.probe();
  }

  function probeLater(): void {
    probing ??= clock.after(probeMs, () => {
      probing = undefined;
      probe();
      if (links.size > 0) probeLater();
    });
  }

  async function upgrade(request: Request): Promise<Response> {
    const offered = (request.headers.get('sec-websocket-protocol') ?? '')
      .split(',')
      .map((protocol) => protocol.trim());
    const ticket = offered.find((protocol) => protocol.startsWith(ticketPrefix));
    const [version] = offered.filter((protocol) => protocol !== '' && protocol !== ticket);
    if (version === undefined) {
      throw new Refusal(
        400,
        'bad-usage',
        `A WebSocket of a session has the subprotocol ${wireProtocol}: use connectSession.`,
      );
    }
    const isOurs = offered.includes(wireProtocol);
    // A page can't see why an upgrade is refused. So the upgrade is accepted, and the reason is
    // sent over the socket.
    let grant: WireGrant;
    try {
      if (!isOurs) throw otherVersion(version);
      grant = await redeem(ticket?.slice(ticketPrefix.length));
      const fault = options.fault?.() ?? server.refusal();
      if (fault) throw fault;
    } catch (error) {
      const { response, socket } = accept(isOurs ? wireProtocol : version, request, true);
      const refusal = toWireError(error);
      socket.send(JSON.stringify({ type: 'refused', error: refusal }));
      socket.close(closeCodeOf(refusal.code), refusal.code);
      return response;
    }
    const { response, socket } = accept(wireProtocol, request, false);
    server.join(socket, grant);
    return response;
  }

  async function move(request: Request): Promise<Response> {
    if (!moves) throw new Refusal(404, 'bad-usage', 'Sessions are not moved to or from here.');
    const { role } = await redeem(bearer(request)).catch((error: unknown) => {
      throw SdkError.isInstance(error) ? new Refusal(401, error) : error;
    });
    if (role !== 'owner') {
      throw new Refusal(403, 'permission-denied', 'Only the owner of a session moves it.');
    }
    const length = Number(request.headers.get('content-length') ?? maxMoveBytes);
    if (length > maxMoveBytes) throw tooLargeToMove();
    if (movesInLine > maxMovesInLine) throw tooManyMoves();
    movesInLine += 1;
    // Security: a body is read only when the previous request is answered, so a caller's requests
    // use memory only once.
    const answered = moved.then(async () => moves(await readMove(request, length)));
    moved = answered.catch(() => undefined);
    try {
      const headers = { 'content-type': moveType, 'cache-control': 'no-store' };
      return new Response(await answered, { headers });
    } finally {
      movesInLine -= 1;
    }
  }

  async function readMove({ body }: Request, length: number): Promise<Uint8Array<ArrayBuffer>> {
    const ending = new AbortController();
    const end = () => ending.abort();
    const late = clock.after(moveMs + length / moveBytesPerMs, end);
    let silent = clock.after(silentMs, end);
    const heard = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, sink) {
        silent[Symbol.dispose]();
        silent = clock.after(silentMs, end);
        sink.enqueue(chunk);
      },
    });
    try {
      const bytes = await readBytes(body?.pipeThrough(heard), maxMoveBytes, ending.signal);
      if (!bytes) throw tooLargeToMove();
      return bytes;
    } catch (error) {
      throw ending.signal.aborted ? tooSlowToMove() : error;
    } finally {
      late[Symbol.dispose]();
      silent[Symbol.dispose]();
    }
  }

  function redeem(ticket: string | undefined): Promise<WireGrant> {
    if (ticket) return redeemTicket(tickets, ticket, clock.now());
    return Promise.reject(
      new SdkError(
        'permission-denied',
        `A connection needs a ticket: POST to the address with /ticket behind it.`,
      ),
    );
  }

  async function openEvents(request: Request): Promise<Response> {
    const version = request.headers.get(protocolHeader) ?? 'no version';
    if (version !== wireProtocol) throw new Refusal(426, otherVersion(version));
    let grant: WireGrant;
    try {
      grant = await redeem(bearer(request));
    } catch (error) {
      throw SdkError.isInstance(error) ? new Refusal(401, error) : error;
    }
    const secret = createId() + createId();
    const encoder = new TextEncoder();
    let link: EventsLink | undefined;
    const leave = () => {
      links.delete(secret);
      if (links.size === 0) {
        probing?.[Symbol.dispose]();
        probing = undefined;
      }
      if (link) server.leave(link.socket);
    };
    const stream = new ReadableStream<Uint8Array>(
      {
        start(sink) {
          let isOver = false;
          const write = (event: string) => sink.enqueue(encoder.encode(event));
          const close = () => {
            if (!isOver) sink.close();
            isOver = true;
            leave();
          };
          const socket: ClientSocket = {
            send(frame) {
              if (isOver) return;
              if ((sink.desiredSize ?? 0) < 0) close();
              else if (typeof frame === 'string') write(`data: ${frame}\n\n`);
              else write(`event: piece\ndata: ${encodeBase64(frame)}\n\n`);
            },
            close,
          };
          // A line that is no event.
          link = { socket, probe: () => write(':\n\n') };
          write(`event: link\ndata: ${secret}\n\n`);
        },
        cancel: leave,
      },
      { highWaterMark: maxUnreadBytes, size: (piece) => piece?.byteLength ?? 0 },
    );
    if (link) {
      links.set(secret, link);
      probeLater();
      server.join(link.socket, grant);
    }
    return new Response(stream, {
      headers: { 'content-type': eventsType, 'cache-control': 'no-store, no-transform' },
    });
  }

  async function takeFrame(request: Request): Promise<Response> {
    const { socket } = links.get(bearer(request) ?? '') ?? {};
    if (!socket) {
      throw new Refusal(410, 'worker-lost', 'This connection is gone: connect again.');
    }
    const length = Number(request.headers.get('content-length') ?? 0);
    const bytes = length > maxFrameBytes ? undefined : await readBytes(request.body, maxFrameBytes);
    if (!bytes) {
      const { error, status } = tooLong();
      socket.send(JSON.stringify({ type: 'refused', error: toWireError(error) }));
      server.leave(socket);
      socket.close(closeCodes.refused, error.code);
      throw new Refusal(status, error);
    }
    const isText = request.headers.get('content-type')?.startsWith('application/json') === true;
    await server.receive(socket, isText ? new TextDecoder().decode(bytes) : bytes);
    return new Response(null, { status: 204 });
  }

  return async (request) => {
    const url = new URL(request.url);
    const { pathname: path } = url;
    const paths = [wirePath, `${wirePath}/ticket`, movePath];
    if (!paths.some((one) => path.endsWith(one))) return undefined;
    const origin = request.headers.get('origin');
    // Security: a page of another site sends its user's cookies, too.
    if (origin !== null && !(origins ?? [url.origin]).includes(origin)) {
      const sentence = `Pages of ${origin.slice(0, 200)} may not connect to this session: name it in origins.`;
      return toResponse(new Refusal(403, 'permission-denied', sentence));
    }
    let response: Response;
    try {
      response =
        request.method === 'OPTIONS'
          ? new Response(null, { status: 204 })
          : await route(request, path);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      response = toResponse(error);
    }
    if (origin !== null && response.status !== 101) allow(response.headers, origin, request);
    return response;
  };
}

/** A connection by server-sent events. */
interface EventsLink {
  readonly socket: ClientSocket;
  /** Sends what means nothing. */
  probe(): void;
}

function closeCodeOf(code: SdkError['code']): number {
  if (code === 'permission-denied') return closeCodes.ticket;
  if (code === 'limit-exceeded') return closeCodes.busy;
  return code === 'internal' ? closeCodes.failed : closeCodes.version;
}

/** An answer with an error status and a message. */
class Refusal extends Error {
  readonly status: number;
  readonly error: SdkError;

  constructor(status: number, error: SdkError);
  constructor(status: number, code: SdkError['code'], sentence: string);
  constructor(status: number, given: SdkError | SdkError['code'], sentence = '') {
    super(sentence);
    this.status = status;
    this.error = typeof given === 'string' ? new SdkError(given, sentence) : given;
  }
}

function toResponse({ status, error }: Refusal): Response {
  return Response.json({ error: toWireError(error) }, { status });
}

function allow(headers: Headers, origin: string, request: Request): void {
  // Allows whatever headers `authorize` needs.
  const asked = request.headers.get('access-control-request-headers');
  headers.set('access-control-allow-origin', origin);
  headers.set('access-control-allow-credentials', 'true');
  headers.set('access-control-allow-methods', 'POST');
  if (asked !== null) headers.set('access-control-allow-headers', asked);
  headers.append('vary', 'origin');
}

function bearer(request: Request): string | undefined {
  return /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1];
}

function tooLargeToMove(): Refusal {
  const sentence = `A message of a move has at most ${maxMoveBytes} bytes: a file is too large for this place.`;
  return new Refusal(413, 'limit-exceeded', sentence);
}

function tooManyMoves(): Refusal {
  const sentence = `At most ${maxMovesInLine} requests of moves wait at a place. Wait until they are answered, then move the session again.`;
  return new Refusal(429, 'limit-exceeded', sentence);
}

function tooSlowToMove(): Refusal {
  const sentence = 'A message of a move came too slowly, and was left. Send it again.';
  return new Refusal(408, 'worker-lost', sentence);
}

function tooLong(): Refusal {
  return new Refusal(
    413,
    'limit-exceeded',
    `A frame of a connection has at most ${maxFrameBytes} bytes.`,
  );
}
