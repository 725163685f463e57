// Keeps one client connected: opens a link, and another one when it is lost, each with a ticket of its own and after
// a longer wait than the last. Finds out that a silent link is dead. Used by connect-session.ts.
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

/** What carries the connection. */
export type Transport = 'socket' | 'events';

export interface LinkOptions {
  readonly url: string;
  readonly ticket: string | (() => string | Promise<string>);
  readonly transport?: Transport;
  readonly createSocket?: CreateSocket;
  readonly clock: Clock;
}

export interface KeeperEvents {
  /** A link is open: it waits for a hello. */
  onOpen(): void;
  onMessage(message: ToClient): void;
  /** The link is lost, and will be tried again. */
  onLost(): void;
  /** The link is lost, and won't be tried again. */
  onEnd(error: SdkError): void;
  /** The server has closed it with a reason, before it is known whether it is tried again. */
  onRefused(error: SdkError): void;
}

/** Dispose it to leave. */
export interface LinkKeeper extends Disposable {
  start(): void;
  greet(hello: { readonly after: number; readonly session?: string }): void;
  /** Nothing where no link is open. Gives the message's bytes. @throws SdkError as `encodeFrame`. */
  send(message: ToServer): number;
  /** Gives the link up as if it were lost: another one begins with another hello. */
  renew(): void;
}

/**
 * 0.25 s, twice as long after each attempt, 30 s at most. Up to half as long again is added, so
 * that not all come at once.
 */
const firstWaitMs = 250;
const maxWaitMs = 30_000;

/** 30 s of silence: proxies let go of a connection after a minute, often. Then 10 s for the answer. */
const silenceMs = 30_000;
const answerMs = 10_000;

/** 60 s: a server has a word after 10 s, also where the session has to be fetched from its archive first. */
const firstWordMs = 60_000;

/** 60 s for a ticket, and as long for a link: what takes longer isn't answered any more. */
const openMs = 60_000;

/** A server that is full, or fails, may be well again; one that refuses a sixth time within a minute of each won't be. */
const mostRefusals = 5;
const refusalsMs = 60_000;

/** 64 MiB: a snapshot of files at their limit, and what is told beside the contents. */
const maxMessageBytes = 67_108_864;

/** Nothing is opened before `start`. */
export function createLinkKeeper(options: LinkOptions, events: KeeperEvents): LinkKeeper {
  return new Keeper(options, events);
}

class Keeper implements LinkKeeper {
  readonly #options: LinkOptions;
  readonly #events: KeeperEvents;
  readonly #links: readonly OpenLink[];
  /** Which of them has come about; before, each attempt tries all. */
  #chosen: OpenLink | undefined;
  #link: WireLink | undefined;
  /** The attempt that it came of. */
  #opened: object | undefined;
  #timer: Disposable | undefined;
  #attempts = 0;
  #refusals = 0;
  #refusedAt = -Infinity;
  /** Until the first word over a link. */
  #firstWord: Disposable | undefined;
  #hasHeard = false;
  /** The client was told how things stand, over this link or one before. */
  #wasTold = false;
  /** What has arrived over this link, and wasn't told of. */
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
        // Before it is this one, who opens it is told.
        if (this.#opened === attempt) this.#lose();
      },
    });
    const link = await this.#inTime(opening).catch((error: unknown) => {
      // One that comes all the same is let go.
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
    // The client is heard, so the next loss begins with a short wait.
    this.#attempts = 0;
    this.#wasTold ||= message.type === 'welcome';
    this.#events.onMessage(message);
  }

  /** The server sends no more than a window ahead. */
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
    // Where no socket comes about it is as good for the events.
    if (this.#wasOpen) throw usedUp();
    return ticket;
  }

  /** A network may swallow a request for ever. */
  #inTime<Value>(asked: Promise<Value>): Promise<Value> {
    return inTime(asked, openMs, lost, this.#options.clock);
  }

  /** Something was heard. */
  #listen(): void {
    const { clock } = this.#options;
    this.#timer?.[Symbol.dispose]();
    this.#timer = clock.after(silenceMs, () => {
      this.#link?.send(ping);
      this.#timer = clock.after(answerMs, () => this.#lose());
    });
  }

  /** Pings are answered by the runtime alone: they tell nothing of the class behind it. */
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
    // A first connection that fails is told at once.
    if (!this.#wasOpen || isFinal(failure)) return this.#end(failure);
    this.#timer?.[Symbol.dispose]();
    const waitMs = Math.min(maxWaitMs, firstWaitMs * 2 ** this.#attempts) * (1 + Math.random() / 2);
    this.#attempts += 1;
    this.#timer = this.#options.clock.after(waitMs, () => void this.#connect());
  }

  /** The server has closed it with a reason. */
  #refused(error: SdkError): void {
    this.#events.onRefused(error);
    // One that is full or fails may be well again in a moment.
    const mayPass = error.code === 'limit-exceeded' || error.code === 'internal';
    const now = this.#options.clock.now();
    // Not by the attempts: a message that is too large is refused again after each connection that came about.
    this.#refusals = now - this.#refusedAt < refusalsMs ? this.#refusals + 1 : 1;
    this.#refusedAt = now;
    const mayTry = this.#wasOpen && typeof this.#options.ticket === 'function';
    // What passes is waited for as a lost connection is.
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

/** Of a bucket that fails, a move that may come to nothing, and a ticket that was held for too long. */
function passes(error: SdkError): boolean {
  return error.code === 'EIO' || error.data['passes'] === true;
}

/** Trying again would come to the same. */
function isFinal(error: unknown): boolean {
  if (!SdkError.isInstance(error) || passes(error)) return false;
  if (['permission-denied', 'unsupported-environment', 'bad-usage'].includes(error.code))
    return true;
  // So does one whose server says it in words of its own: a password is wrong, or a session was deleted.
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
