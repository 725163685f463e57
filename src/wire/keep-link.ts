// Keeps one client connected. It opens a link, and a new one when that is lost, each with its own
// ticket and after increasing waits. It also detects that a silent link is dead. Used by
// connect-session.ts.
import { inTime } from '../core/async/in-time.ts';
import { SdkError, fromSerializedError } from '../core/errors.ts';
import type { Clock } from '../core/tool/ports.ts';
import type { OpenLink, WireLink } from './link.ts';
import { createEventsLink } from './open-events.ts';
import { createSocketLink } from './open-socket.ts';
import type { CreateSocket } from './open-socket.ts';
import { createFrameJoiner, toFrames } from './pieces.ts';
import type { FrameJoiner } from './pieces.ts';
import { ping, pong, readToClient, takenBytes, wireProtocol } from './protocol.ts';
import type { ToClient, ToServer } from './protocol.ts';
import { toWireAddress } from './wire-address.ts';

/** The transport of the connection. */
export type Transport = 'socket' | 'events';

export interface LinkOptions {
  readonly url: string;
  readonly ticket: string | (() => string | Promise<string>);
  readonly transport?: Transport;
  readonly createSocket?: CreateSocket;
  readonly clock: Clock;
}

export interface KeeperEvents {
  /** A link is open and waits for a hello. */
  onOpen(): void;
  onMessage(message: ToClient): void;
  /** The link is lost and will be retried. */
  onLost(): void;
  /** The link is lost and won't be retried. */
  onEnd(error: SdkError): void;
  /** The server has closed it with a reason. Whether it will be retried isn't known yet. */
  onRefused(error: SdkError): void;
}

/** Dispose it to disconnect. */
export interface LinkKeeper extends Disposable {
  start(): void;
  greet(hello: { readonly after: number; readonly session?: string }): void;
  /**
   * Does nothing if no link is open. Returns the message's size in bytes.
   *
   * @throws SdkError like `encodeFrame`
   */
  send(message: ToServer): number;
  /** Drops the link as if it were lost: a new link begins with a new hello. */
  renew(): void;
}

/**
 * 0.25 s, doubled after each attempt, at most 30 s. Up to half of it is added at random, so that
 * clients don't reconnect at the same time.
 */
const firstWaitMs = 250;
const maxWaitMs = 30_000;

/**
 * 30 s of silence, because proxies often close a connection after a minute. Then 10 s for the
 * answer.
 */
const silenceMs = 30_000;
const answerMs = 10_000;

/**
 * 60 s: a server sends a first message within 10 s, even if the session must be restored from its
 * archive.
 */
const firstWordMs = 60_000;

/** 60 s for a ticket, and the same for a link. After that no answer is expected any more. */
const openMs = 60_000;

/**
 * A server that is full or fails may recover. After the sixth refusal, each within a minute of the
 * one before, the client gives up.
 */
const mostRefusals = 5;
const refusalsMs = 60_000;

/** 64 MiB: a snapshot of files at their limit, and the message's other data. */
const maxMessageBytes = 67_108_864;

/** Nothing is opened before `start`. */
export function createLinkKeeper(options: LinkOptions, events: KeeperEvents): LinkKeeper {
  return new Keeper(options, events);
}

class Keeper implements LinkKeeper {
  readonly #options: LinkOptions;
  readonly #events: KeeperEvents;
  readonly #links: readonly OpenLink[];
  /** The transport that has worked. Until then each attempt tries all. */
  #chosen: OpenLink | undefined;
  #link: WireLink | undefined;
  /** The attempt that has opened the link. */
  #opened: object | undefined;
  #timer: Disposable | undefined;
  #attempts = 0;
  #refusals = 0;
  #refusedAt = -Infinity;
  /** Waits for the first message over a link. */
  #firstWord: Disposable | undefined;
  #hasHeard = false;
  /** The client has received the session's state, over this link or an earlier one. */
  #wasTold = false;
  /** The received bytes that weren't acknowledged yet. */
  #taken = 0;
  #wasOpen = false;
  #isOver = false;

  constructor(options: LinkOptions, events: KeeperEvents) {
    this.#options = options;
    this.#events = events;
    const { transport, createSocket } = options;
    const url = toWireAddress(options.url);
    const links: OpenLink[] = [];
    if (transport !== 'events') links.push(createSocketLink(url, createSocket));
    if (transport !== 'socket') links.push(createEventsLink(url));
    this.#links = links;
  }

  start(): void {
    void this.#connect();
  }

  greet(hello: { readonly after: number; readonly session?: string }): void {
    this.send({ type: 'hello', protocol: wireProtocol, ...hello });
  }

  send(message: ToServer): number {
    const hasBytes = message.type === 'request' && message.method === 'commit';
    let bytes = 0;
    for (const frame of toFrames(message, hasBytes)) {
      this.#link?.send(frame);
      // One byte of a piece is its flag.
      bytes += typeof frame === 'string' ? frame.length : frame.length - 1;
    }
    return bytes;
  }

  renew(): void {
    if (this.#link && !this.#isOver) this.#lose();
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#timer?.[Symbol.dispose]();
    this.#firstWord?.[Symbol.dispose]();
    this.#link?.[Symbol.dispose]();
    this.#link = undefined;
  }

  /** Never rejects. */
  async #connect(): Promise<void> {
    let failure: unknown;
    const links = this.#chosen ? [this.#chosen] : this.#links;
    for (const openLink of links) {
      try {
        await this.#openOne(openLink);
        return;
      } catch (error) {
        if (this.#isOver) return;
        failure = error;
        if (isFinal(error)) break;
      }
    }
    this.#retry(failure);
  }

  async #openOne(openLink: OpenLink): Promise<void> {
    const ticket = await this.#inTime(this.#takeTicket());
    const joiner = createFrameJoiner(maxMessageBytes);
    const attempt = {};
    let isLost = false;
    const opening = openLink(ticket, {
      onFrame: (frame) => {
        if (!isLost && !this.#isOver) this.#hear(frame, joiner);
      },
      onClose: () => {
        if (isLost || this.#isOver) return;
        isLost = true;
        // Before the first connection, the caller of connectSession gets the error.
        if (this.#opened === attempt) this.#lose();
      },
    });
    const link = await this.#inTime(opening).catch((error: unknown) => {
      // If a link opens late, it is closed.
      isLost = true;
      opening.then((late) => late[Symbol.dispose]()).catch(() => undefined);
      throw error;
    });
    if (this.#isOver || isLost) {
      link[Symbol.dispose]();
      if (isLost && !this.#isOver) throw lost();
      return;
    }
    this.#opened = attempt;
    this.#link = link;
    this.#taken = 0;
    this.#chosen = openLink;
    this.#wasOpen = true;
    this.#listen();
    this.#awaitFirstWord();
    this.#events.onOpen();
  }

  #hear(frame: string | ArrayBuffer | Uint8Array, joiner: FrameJoiner): void {
    this.#listen();
    if (frame === pong) return;
    this.#hasHeard = true;
    this.#firstWord?.[Symbol.dispose]();
    this.#count(frame);
    let message: ToClient | undefined;
    try {
      const data = joiner.take(frame);
      if (data === undefined) return;
      message = readToClient(data);
    } catch (error) {
      this.#end(error);
      return;
    }
    if (message.type === 'refused') {
      this.#refused(fromSerializedError(message.error));
      return;
    }
    // A message has arrived, so the next loss begins with a short wait.
    this.#attempts = 0;
    this.#wasTold ||= message.type === 'welcome';
    this.#events.onMessage(message);
  }

  /** The server sends at most a window ahead. */
  #count(frame: string | ArrayBuffer | Uint8Array): void {
    this.#taken += typeof frame === 'string' ? frame.length : frame.byteLength;
    if (this.#taken < takenBytes) return;
    const bytes = this.#taken;
    this.#taken = 0;
    this.send({ type: 'taken', bytes });
  }

  async #takeTicket(): Promise<string> {
    const { ticket } = this.#options;
    if (typeof ticket === 'function') return ticket();
    // If no socket can be opened, the same ticket can be used for server-sent events.
    if (this.#wasOpen) throw usedUp();
    return ticket;
  }

  /** A network may drop a request without an error. */
  #inTime<Value>(asked: Promise<Value>): Promise<Value> {
    return inTime(asked, openMs, lost, this.#options.clock);
  }

  /** Called whenever data has arrived. */
  #listen(): void {
    const { clock } = this.#options;
    this.#timer?.[Symbol.dispose]();
    this.#timer = clock.after(silenceMs, () => {
      this.#link?.send(ping);
      this.#timer = clock.after(answerMs, () => this.#lose());
    });
  }

  /** Pings are answered by the runtime, so they don't show that the class works. */
  #awaitFirstWord(): void {
    this.#firstWord?.[Symbol.dispose]();
    this.#firstWord = this.#options.clock.after(firstWordMs, () => {
      if (this.#hasHeard) this.#lose();
      else this.#end(neverAnswered(this.#options.url));
    });
  }

  #lose(): void {
    this.#firstWord?.[Symbol.dispose]();
    this.#link?.[Symbol.dispose]();
    this.#link = undefined;
    this.#opened = undefined;
    this.#events.onLost();
    this.#retry(lost());
  }

  #retry(failure: unknown): void {
    if (this.#isOver) return;
    // The failure of the first connection is reported at once.
    if (!this.#wasOpen || isFinal(failure)) return this.#end(failure);
    this.#timer?.[Symbol.dispose]();
    const waitMs = Math.min(maxWaitMs, firstWaitMs * 2 ** this.#attempts) * (1 + Math.random() / 2);
    this.#attempts += 1;
    this.#timer = this.#options.clock.after(waitMs, () => void this.#connect());
  }

  /** The server has closed the link with a reason. */
  #refused(error: SdkError): void {
    this.#events.onRefused(error);
    // A server that is full or fails may recover soon.
    const mayPass = error.code === 'limit-exceeded' || error.code === 'internal';
    const now = this.#options.clock.now();
    // Attempts aren't counted, because a message that is too large is refused again after each
    // successful connection.
    this.#refusals = now - this.#refusedAt < refusalsMs ? this.#refusals + 1 : 1;
    this.#refusedAt = now;
    const mayTry = this.#wasOpen && typeof this.#options.ticket === 'function';
    // A temporary refusal is handled like a lost connection.
    if (passes(error) && mayTry && this.#wasTold) return this.#lose();
    if (mayPass && mayTry && this.#refusals <= mostRefusals) this.#lose();
    else this.#end(error);
  }

  #end(error: unknown): void {
    if (this.#isOver) return;
    this[Symbol.dispose]();
    const isOurs = SdkError.isInstance(error);
    this.#events.onEnd(
      isOurs
        ? error
        : new SdkError('worker-lost', `No connection came about: ${String(error)}`, {
            cause: error,
          }),
    );
  }
}

/**
 * True for a temporary refusal: a failing bucket, a move that may be cancelled, or an expired
 * ticket.
 */
function passes(error: SdkError): boolean {
  return error.code === 'EIO' || error.data['passes'] === true;
}

/** True if a retry would fail the same way. */
function isFinal(error: unknown): boolean {
  if (!SdkError.isInstance(error) || passes(error)) return false;
  if (['permission-denied', 'unsupported-environment', 'bad-usage'].includes(error.code))
    return true;
  // Also if the server answers with its own error page: a wrong password, or a deleted session.
  return [401, 403, 404, 410].includes(Number(error.data['status']));
}

function lost(): SdkError {
  return new SdkError('worker-lost', 'The connection to the session was lost.');
}

function neverAnswered(url: string): SdkError {
  return new SdkError(
    'worker-lost',
    `${url} has taken the connection, and has said nothing for a minute. A Durable Object's class has to pass on webSocketMessage, webSocketClose and webSocketError.`,
    { data: { url } },
  );
}

function usedUp(): SdkError {
  return new SdkError(
    'bad-usage',
    'The connection was lost, and its ticket is used up: give connectSession a function that gets a ticket for each connection.',
  );
}
