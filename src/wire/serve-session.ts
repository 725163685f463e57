// The server of the wire: one session and any number of clients, over the host's connections. Each
// client gets the session's messages, and its requests are carried out as far as its role allows.
// Hosts create one per session.
import type { AgentSession, SessionState } from '../agent/agent-session.ts';
import { isBeyondEnd } from '../agent/messages/beyond-end.ts';
import { createOutbox } from '../agent/messages/outbox.ts';
import type { Outbox } from '../agent/messages/outbox.ts';
import { toMovedMessage } from '../agent/messages/to-sdk-message.ts';
import { createElsewhereError } from '../agent/session/handover/whereabouts.ts';
import { createId } from '../core/ids.ts';
import { SdkError } from '../core/errors.ts';
import type { SerializedError } from '../core/errors.ts';
import type { SDKMessage } from '../core/messages/sdk-message.ts';
import type { Clock } from '../core/tool/ports.ts';
import { systemClock } from '../core/async/system-clock.ts';
import { carryOut } from './carry-out.ts';
import type { ServedFiles } from './feed-client.ts';
import { allFiles, createFileFollowers } from './file-followers.ts';
import type { FileFollower, FileFollowers } from './file-followers.ts';
import { createRateLimiter, defaultWireLimits } from './limits.ts';
import type { RateLimiter, WireLimits } from './limits.ts';
import { createFrameJoiner, toFrames } from './pieces.ts';
import type { FrameJoiner, WireFrame } from './pieces.ts';
import {
  isAsked,
  isRepeatable,
  mayAsk,
  ping,
  pong,
  readToServer,
  toWireError,
  wireProtocol,
} from './protocol.ts';
import type { ToClient, ToServer, WireGrant, WireRequest } from './protocol.ts';
import {
  notAllowed,
  notAsked,
  otherVersion,
  tooMuch,
  unanswered,
  unsayable,
} from './wire-refusals.ts';
import { createSendWindow } from './send-window.ts';
import type { SendWindow } from './send-window.ts';

/** The state of a client that must survive its host's sleep. Plain data, below 2 kB. */
export interface KeptClient extends WireGrant {
  /** The session that it follows; left out before its `hello`. */
  readonly session?: string;
  /** The last entry whose messages the client was sent. */
  readonly told: number;
  /**
   * It has all messages of that entry, and gets no more until it has acknowledged the sent data.
   */
  readonly isBehind?: boolean;
  /**
   * The last record of the files that it was sent; -1: it waits for a snapshot. Left out: it
   * doesn't follow the files.
   */
  readonly seq?: number;
  /** Data that is only in the host's memory still has to be sent. */
  readonly isWaiting?: boolean;
}

/** The host's adapter for one connection. No method throws if the connection is closed. */
export interface ClientSocket {
  send(frame: WireFrame): void;
  /** `reason`: at most 123 bytes. */
  close(code: number, reason: string): void;
  /** Stores the client's state for as long as the connection lasts. Left out: the host never sleeps. */
  keep?(client: KeptClient): void;
}

/** What a session's server needs. */
export interface ServeSessionOptions {
  /** Returns the session, and opens it if necessary. Called whenever a client needs it. */
  open(): Promise<AgentSession>;
  /** The session's files. Left out: they can't be followed. */
  files?(): Promise<ServedFiles>;
  readonly limits?: Partial<WireLimits>;
  /** @defaultValue the system clock */
  readonly clock?: Clock;
}

/** The server of one session. After it is disposed its clients stay connected, and get nothing more. */
export interface SessionServer extends Disposable {
  /** The number of connected clients. */
  readonly size: number;
  /** Why no further client may join. Undefined: one may. */
  refusal(): SdkError | undefined;
  /**
   * A client has connected, or, with a {@link KeptClient}, was still connected when the host woke
   * up.
   */
  join(socket: ClientSocket, client: WireGrant | KeptClient): void;
  /** Handles a frame from a client. Resolves when its request has been started. Never rejects. */
  receive(socket: ClientSocket, frame: string | ArrayBuffer | Uint8Array): Promise<void>;
  leave(socket: ClientSocket): void;
  /** The session was opened: each client gets the messages from its position on. */
  attach(session: AgentSession): void;
  /**
   * The session has moved to another place, whose address may be known. All clients are informed.
   * They stay connected, because the session may come back.
   */
  moved(sessionId: string, url?: string): void;
  /** Another writer owns the files from now on: clients that follow them continue with its records. */
  renewFiles(): void;
}

/** Close codes. 1008 (policy violation) and 1011 (internal error) are the WebSocket protocol's, the others ours. */
export const closeCodes = {
  refused: 1008,
  failed: 1011,
  ticket: 4401,
  version: 4426,
  busy: 4429,
} as const;

interface Client {
  readonly socket: ClientSocket;
  readonly joiner: FrameJoiner;
  readonly messages: RateLimiter;
  readonly bytes: RateLimiter;
  readonly outbox: Outbox;
  /** The flow control of the connection. It starts again after the host's sleep. */
  readonly window: SendWindow;
  readonly files: FileFollower;
  kept: KeptClient;
  isClosed: boolean;
  isGreeted: boolean;
  /** It has messages that the journal lacks, so its next welcome starts the history again. */
  isAhead: boolean;
  /** The identity of the running delivery to this client; a new object for each delivery. */
  telling: object | undefined;
  /** The session state that the client knows from its messages, and the open questions. */
  state: SessionState;
  standing: string;
  open: number;
}

interface Answered {
  readonly value?: unknown;
  readonly error?: SerializedError;
}

/** A snapshot of the files counts as 25 messages, so a client may ask for about two a second. */
const followCost = 25;

/** 16 MiB without files: a client with so much unacknowledged data is gone, or too slow. */
const maxUntakenBytes = 16_777_216;

/**
 * 10 s: restoring a session from its archive may take minutes, but a client leaves a server that is
 * silent for one.
 */
const firstWordMs = 10_000;

/**
 * The number of replies that are kept for clients that repeat a request after a lost connection.
 */
const keptReplies = 128;

/** At first no client is connected. */
export function serveSession(options: ServeSessionOptions): SessionServer {
  return new WireServer(options);
}

class WireServer implements SessionServer {
  readonly #options: ServeSessionOptions;
  readonly #limits: WireLimits;
  readonly #clock: Clock;
  readonly #followers: FileFollowers;
  readonly #clients = new Map<ClientSocket, Client>();
  /** Requests by owner and id: running and finished ones, the oldest first. */
  readonly #asked = new Map<string, Promise<Answered>>();
  #session: AgentSession | undefined;

  constructor(options: ServeSessionOptions) {
    this.#options = options;
    this.#limits = { ...defaultWireLimits, ...options.limits };
    this.#clock = options.clock ?? systemClock;
    this.#followers = createFileFollowers(options.files, this.#limits.filesBytes);
  }

  get size(): number {
    return this.#clients.size;
  }

  refusal(): SdkError | undefined {
    const { clients } = this.#limits;
    if (this.#clients.size < clients) return undefined;
    const sentence = `This session has ${clients} clients, as many as it may. Close one, and connect again.`;
    return new SdkError('limit-exceeded', sentence);
  }

  join(socket: ClientSocket, given: WireGrant | KeptClient): void {
    const { messagesPerSecond, bytesPerSecond, messageBytes } = this.#limits;
    const refusal = this.refusal();
    const kept: KeptClient = { told: 0, ...given };
    if (kept.isWaiting) {
      // A message may have been partly sent, so no other message can follow. The client reconnects.
      socket.close(closeCodes.failed, 'What was to be sent was lost with its host.');
      return;
    }
    const client: Client = {
      socket,
      kept,
      window: this.#createWindow(socket),
      files: this.#createFollower(() => client),
      joiner: createFrameJoiner(messageBytes),
      messages: createRateLimiter(messagesPerSecond),
      bytes: createRateLimiter(bytesPerSecond),
      outbox: createOutbox(this.#clock, (message) => this.#tell(client, message)),
      isClosed: false,
      isGreeted: kept.session !== undefined,
      isAhead: false,
      telling: undefined,
      state: 'idle',
      standing: '',
      open: 0,
    };
    this.#clients.set(socket, client);
    if (refusal) this.#refuse(client, closeCodes.busy, refusal);
    else {
      socket.keep?.(kept);
      if (this.#session) this.#begin(client, this.#session);
    }
  }

  async receive(socket: ClientSocket, frame: string | ArrayBuffer | Uint8Array): Promise<void> {
    const client = this.#clients.get(socket);
    if (!client || client.isClosed) return;
    try {
      this.#count(client, typeof frame === 'string' ? frame.length : frame.byteLength);
      if (frame === ping) {
        client.socket.send(pong);
        return;
      }
      const data = client.joiner.take(frame);
      if (data !== undefined) await this.#take(client, readToServer(data));
    } catch (error) {
      this.#refuse(client, closeCodes.refused, error);
    }
  }

  leave(socket: ClientSocket): void {
    const client = this.#clients.get(socket);
    if (client) this.#forget(client);
  }

  attach(session: AgentSession): void {
    if (this.#session === session) return;
    this.#session = session;
    for (const client of this.#clients.values()) this.#begin(client, session);
  }

  moved(sessionId: string, url?: string): void {
    const teller = { id: sessionId, ids: { next: createId } };
    const message = toMovedMessage(teller, createElsewhereError(sessionId, false, url));
    for (const client of this.#clients.values()) {
      if (!client.isGreeted) continue;
      client.outbox.flush();
      client.standing = '';
      this.#send(client, { type: 'running', state: 'idle', questions: [] });
      this.#send(client, { type: 'message', message });
    }
  }

  renewFiles(): void {
    this.#followers.renew();
  }

  [Symbol.dispose](): void {
    this.#followers[Symbol.dispose]();
    for (const client of this.#clients.values()) this.#forget(client);
  }

  #count({ messages, bytes }: Client, length: number, cost = 1): void {
    const now = this.#clock.now();
    const { messagesPerSecond, bytesPerSecond } = this.#limits;
    if (!messages.take(cost, now)) {
      throw tooMuch(`more than ${messagesPerSecond} messages a second`, { messagesPerSecond });
    }
    if (!bytes.take(length, now)) {
      throw tooMuch(`more than ${bytesPerSecond} bytes a second`, { bytesPerSecond });
    }
  }

  async #take(client: Client, message: ToServer): Promise<void> {
    if (message.type === 'hello') {
      // Each hello costs a replay.
      if (client.isGreeted) throw new SdkError('invalid-input', 'A connection has one hello.');
      client.isGreeted = true;
      await this.#greet(client, message);
      return;
    }
    if (!client.isGreeted) {
      throw new SdkError(
        'invalid-input',
        `The first message of a connection is a hello, not a ${message.type}.`,
      );
    }
    if (message.type === 'taken') {
      client.window.take(message.bytes);
      this.#followers.goOn();
      // The client still waited for the files when the host fell asleep.
      if (client.kept.seq === allFiles) this.#followers.follow(client.files);
      await this.#goOn(client);
    } else if (message.type === 'follow') {
      // A snapshot is expensive, so it counts as many messages.
      this.#count(client, 0, followCost);
      this.#followers.follow(client.files);
    } else this.#request(client, message);
  }

  async #greet(
    client: Client,
    { protocol, after, session }: ToServer & { readonly type: 'hello' },
  ) {
    if (protocol !== wireProtocol) {
      this.#refuse(client, closeCodes.version, otherVersion(protocol));
      return;
    }
    let opened: AgentSession;
    const word = this.#clock.after(firstWordMs, () =>
      this.#send(client, { type: 'running', state: 'idle', questions: [] }),
    );
    try {
      opened = await this.#open();
    } catch (error) {
      this.#refuse(client, closeCodes.failed, error);
      return;
    } finally {
      word[Symbol.dispose]();
    }
    const told = session === undefined || session === opened.id ? after : 0;
    this.#keep(client, { session: opened.id, told });
    this.#begin(client, opened);
  }

  /** Continues the delivery to a client that fell behind, from its position. */
  async #goOn(client: Client): Promise<void> {
    if (!client.kept.isBehind || !client.window.hasRoom || client.telling) return;
    let session: AgentSession;
    try {
      session = await this.#open();
    } catch (error) {
      this.#refuse(client, closeCodes.failed, error);
      return;
    }
    if (!client.telling) this.#begin(client, session);
  }

  /** Opens and attaches the session, unless it was attached meanwhile because something else opened it. */
  async #open(): Promise<AgentSession> {
    const session = await this.#options.open();
    this.attach(session);
    return session;
  }

  #keep(client: Client, change: Partial<KeptClient>): void {
    client.kept = { ...client.kept, ...change };
    if (!client.isClosed) client.socket.keep?.(client.kept);
  }

  /** Starts the delivery to a client from its position, and of files if it had them before the host slept. */
  #begin(client: Client, session: AgentSession): void {
    const { session: followed, seq } = client.kept;
    if (followed === undefined || client.isClosed) return;
    if (followed !== session.id || client.isAhead) {
      this.#keep(client, { session: session.id, told: 0, isBehind: false });
    }
    const telling = {};
    client.telling = telling;
    client.standing = '';
    this.#read(client, session, telling).catch((error: unknown) => {
      if (client.telling !== telling || !isBeyondEnd(error)) {
        this.#refuse(client, closeCodes.failed, error);
        return;
      }
      client.isAhead = true;
      this.#begin(client, session);
    });
    if (seq !== undefined && !this.#followers.has(client.files)) {
      this.#followers.follow(client.files, seq);
    }
  }

  async #read(client: Client, session: AgentSession, telling: object): Promise<void> {
    // If only some messages of an entry were sent, all of them are sent again.
    const { told, isBehind } = client.kept;
    const after = isBehind ? told : Math.max(0, told - 1);
    if (isBehind) this.#keep(client, { isBehind: false });
    // A client survives a kill of the host. It must not know entries that the kill has lost.
    const messages = session.messages({ after, stored: true });
    /** The entry of the last message that was sent. */
    let sent: number | undefined;
    /** The state of the session itself, which a client derives from `welcome`. */
    let left = 0;
    let isFirst = true;
    for await (const message of messages) {
      if (client.telling !== telling || client.isClosed) return;
      if (isFirst && message.type === 'system' && message.subtype === 'init') {
        const { role } = client.kept;
        const welcome = { type: 'welcome', session: session.id, role, init: message } as const;
        this.#send(client, client.isAhead ? { ...welcome, isAnew: true } : welcome);
        client.isAhead = false;
        left = message.warnings.length;
        isFirst = false;
        client.state = session.state();
        this.#tellStanding(client, session);
      } else if (left > 0) left -= 1;
      else {
        const isNext = sent !== undefined && message.n !== undefined && message.n !== sent;
        // Stopped instead of awaited: otherwise messages would be buffered, and the session
        // couldn't be released.
        if (isNext && !client.window.hasRoom) return this.#pause(client);
        client.outbox.push(message);
        sent = message.n ?? sent;
        if (message.type !== 'system' || message.subtype !== 'session_state_changed') continue;
        client.state = message.state;
        this.#tellStanding(client, session);
      }
    }
    // The session was closed or released; the next request opens it again.
    if (this.#session === session) this.#session = undefined;
  }

  #pause(client: Client): void {
    client.outbox.flush();
    client.telling = undefined;
    this.#keep(client, { isBehind: true });
  }

  #tell(client: Client, message: SDKMessage): void {
    this.#send(client, { type: 'message', message });
    const { n, session_id: session = client.kept.session } = message;
    if (n === undefined || session === undefined) return;
    if (session !== client.kept.session || n > client.kept.told)
      this.#keep(client, { session, told: n });
  }

  #tellStanding(client: Client, session: AgentSession): void {
    // Messages wait until they are stored. So a turn's start may be sent before them, but never its
    // end.
    const state = client.state === 'idle' ? session.state() : client.state;
    const questions = session.questions();
    const text = [state, ...questions.map(({ requestId }) => requestId)].join(' ');
    if (client.standing === text) return;
    client.standing = text;
    client.outbox.flush();
    this.#send(client, { type: 'running', state, questions });
  }

  #request(client: Client, request: WireRequest): void {
    const { id, method } = request;
    const { role, owner } = client.kept;
    if (!isAsked(request)) {
      this.#reply(client, id, { error: toWireError(notAsked(request)) });
      return;
    }
    if (!mayAsk(role, method)) {
      this.#reply(client, id, { error: toWireError(notAllowed(role, method)) });
      return;
    }
    if (client.open >= this.#limits.openRequests) {
      throw tooMuch(`more than ${this.#limits.openRequests} requests without an answer`, {});
    }
    client.open += 1;
    // Security: by the id alone, one client could get the replies of another.
    const key = JSON.stringify([owner, role, id]);
    const known = this.#asked.get(key);
    const answered = known ?? this.#answer(client, request);
    if (!known) this.#remember(key, answered);
    void answered.then((reply) => {
      client.open -= 1;
      this.#reply(client, id, reply);
    });
  }

  #remember(key: string, answered: Promise<Answered>): void {
    this.#asked.set(key, answered);
    if (this.#asked.size <= keptReplies) return;
    const [oldest] = this.#asked.keys();
    if (oldest !== undefined) this.#asked.delete(oldest);
  }

  /** Never rejects. */
  async #answer({ kept }: Client, { method, parameters, again }: WireRequest): Promise<Answered> {
    try {
      if (again && !isRepeatable(method)) throw unanswered(method);
      const session = await this.#open();
      const value = await carryOut(
        {
          session,
          role: kept.role,
          owner: kept.owner,
          isRepeated: again === true,
          files: this.#options.files,
        },
        method,
        parameters,
      );
      return { value };
    } catch (error) {
      return { error: toWireError(error) };
    }
  }

  #reply(client: Client, id: string, reply: Answered): void {
    // The messages that the request has caused are sent before its reply.
    client.outbox.flush();
    // Before its welcome a client doesn't get the state.
    const isTold = client.telling !== undefined || client.kept.isBehind === true;
    if (this.#session && isTold) this.#tellStanding(client, this.#session);
    try {
      this.#send(client, { type: 'reply', id, ...reply });
    } catch (cause) {
      this.#send(client, { type: 'reply', id, error: toWireError(unsayable(cause)) });
    }
  }

  #createWindow(socket: ClientSocket): SendWindow {
    const change = (act: (client: Client) => void) => {
      const client = this.#clients.get(socket);
      if (client) act(client);
    };
    return createSendWindow({
      clock: this.#clock,
      maxBytes: maxUntakenBytes + this.#limits.filesBytes,
      send: (frame) => socket.send(frame),
      onWaiting: (isWaiting) => change((client) => this.#keep(client, { isWaiting })),
      onStuck: (error) => change((client) => this.#refuse(client, closeCodes.refused, error)),
    });
  }

  #createFollower(clientOf: () => Client): FileFollower {
    return {
      get hasRoom() {
        return clientOf().window.hasRoom;
      },
      get waitingBytes() {
        return clientOf().window.waitingBytes;
      },
      send: (message) => this.#send(clientOf(), { type: 'feed', message }),
      keep: (seq) => this.#keepSeq(clientOf(), seq),
      fail: (error) => this.#send(clientOf(), { type: 'feed-failed', error: toWireError(error) }),
    };
  }

  #keepSeq(client: Client, seq: number | undefined): void {
    const { seq: _before, ...kept } = client.kept;
    client.kept = kept;
    this.#keep(client, seq === undefined ? {} : { seq });
  }

  #send(client: Client, message: ToClient): void {
    if (client.isClosed) return;
    const areFiles = message.type === 'feed';
    client.window.send(toFrames(message, areFiles), areFiles);
  }

  #refuse(client: Client, code: number, error: unknown): void {
    if (client.isClosed) return;
    const refusal = toWireError(error);
    // In the middle of another message it couldn't be parsed.
    if (client.window.waitingBytes === 0) this.#send(client, { type: 'refused', error: refusal });
    this.#forget(client);
    client.socket.close(code, toReason(refusal.message));
  }

  #forget(client: Client): void {
    client.isClosed = true;
    client.telling = undefined;
    client.outbox[Symbol.dispose]();
    client.window[Symbol.dispose]();
    this.#clients.delete(client.socket);
    this.#followers.leave(client.files);
  }
}

// A close frame has 123 bytes for the reason; each character has at most three.
const maxReason = 40;

function toReason(message: string): string {
  const isAscii = [...message].every((character) => character < '\u0080');
  return message.slice(0, isAscii ? maxReason * 3 : maxReason);
}
