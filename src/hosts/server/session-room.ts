// One session in a process, as a Durable Object is at the edge. It has the session's clients and alarm. The storage's
// file is opened when an authorised client needs it, and closed when there is nothing to do. Used by
// create-session-server.ts.
import type { AgentSession } from '../../agent/agent-session.ts';
import { SdkError } from '../../core/errors.ts';
import { systemClock } from '../../core/async/system-clock.ts';
import type { ServedFiles } from '../../wire/feed-client.ts';
import { handleRequests } from '../../wire/handle-requests.ts';
import type { HandleRequestsOptions, WireHandler } from '../../wire/handle-requests.ts';
import { toWireError } from '../../wire/protocol.ts';
import { closeCodes, serveSession } from '../../wire/serve-session.ts';
import type { ClientSocket, SessionServer, ServeSessionOptions } from '../../wire/serve-session.ts';
import type { SessionMoves } from '../edge/object/asked-moves.ts';
import { createSessionObject } from '../edge/object/create-session-object.ts';
import type { SessionObject } from '../edge/object/create-session-object.ts';
import type { SessionObjectOptions } from '../edge/object/session-object-options.ts';
import type { ObjectStorage } from '../edge/object/durable-context.ts';
import { createAlarmTable } from '../edge/object/named-alarms.ts';
import type { ObjectSession } from '../edge/object/sleeping-session.ts';
import type { Upgrade } from './listener.ts';
import type { SqliteStorage } from './open-sqlite-storage.ts';

/** What the session is made of, and who may connect to it. */
export interface RoomOptions
  extends
    Pick<HandleRequestsOptions, 'tickets' | 'authorize' | 'origins'>,
    Pick<ServeSessionOptions, 'limits'> {
  readonly id: string;
  /** Asked once somebody who may has asked for the session. */
  object(): Omit<SessionObjectOptions, 'sessionId' | 'wire' | 'alarms'>;
  openStorage(): SqliteStorage;
  /** Called when no client is connected and there is nothing to do. */
  onIdle(): void;
  /** What has failed where nobody waits for it. */
  onError(error: unknown): void;
}

/** All of it works at any time, beside each other. */
export interface SessionRoom {
  /** Undefined: it is none of the wire's. */
  handle(request: Request, upgrade: Upgrade | undefined): Promise<Response | undefined>;
  /** The session, which is kept in memory from here on. */
  session(): Promise<ObjectSession>;
  /** Opens the storage, and continues work that was cut. */
  wake(): Promise<void>;
  /** The session leaves for another place, or comes from one. */
  move<Result>(work: (moves: SessionMoves) => Promise<Result>): Promise<Result>;
  /** See `SessionObject`. False where its storage isn't open. */
  continueTurns(): Promise<boolean>;
  readonly isIdle: boolean;
  /**
   * What runs is cut as by a kill. Clients are closed, and may connect to another one: but for a reason, which they
   * are told. For good it is about to be deleted.
   */
  close(forGood?: SdkError): Promise<void>;
}

/** The longest that a timer takes: 24 days. */
const maxTimerMs = 2_147_483_647;

/** Nothing is opened yet. */
export function createSessionRoom(options: RoomOptions): SessionRoom {
  return new Room(options);
}

interface Opened {
  readonly object: SessionObject;
  readonly storage: SqliteStorage;
  /** Its alarm stands as it was left. */
  readonly armed: Promise<void>;
}

class Room implements SessionRoom {
  readonly #options: RoomOptions;
  readonly #server: SessionServer;
  readonly #handle: WireHandler;
  readonly #upgrades = new WeakMap<Request, Upgrade>();
  readonly #sockets = new Set<ClientSocket>();
  /** Sockets that were closed, maybe while their ticket was checked. */
  readonly #gone = new WeakSet<ClientSocket>();
  #opened: Opened | undefined;
  #files: (() => Promise<ServedFiles>) | undefined;
  #alarmAt: number | null = null;
  #timer: Disposable | undefined;
  #ringing: Promise<void> | undefined;
  #requests = 0;
  #isPinned = false;
  #isClosed = false;

  constructor(options: RoomOptions) {
    this.#options = options;
    const { tickets, authorize, origins, limits } = options;
    this.#server = serveSession({
      open: () => this.#open().object.session(),
      files: () => this.#openFiles(),
      ...(limits && { limits }),
    });
    this.#handle = handleRequests({
      server: this.#watch(),
      tickets,
      authorize,
      accept: (protocol, request) => this.#accept(protocol, request),
      moves: (body) => this.#open().object.moves.serve(body),
      ...(origins && { origins }),
    });
  }

  get isIdle(): boolean {
    const isUsed = this.#isPinned || this.#requests > 0 || this.#server.size > 0;
    return !isUsed && !this.#ringing && this.#alarmAt === null;
  }

  async handle(request: Request, upgrade: Upgrade | undefined): Promise<Response | undefined> {
    if (upgrade) this.#upgrades.set(request, upgrade);
    return this.#use(() => this.#handle(request));
  }

  session(): Promise<ObjectSession> {
    this.#isPinned = true;
    return this.#open().object.session();
  }

  wake(): Promise<void> {
    return this.#use(() => this.#open().armed);
  }

  move<Result>(work: (moves: SessionMoves) => Promise<Result>): Promise<Result> {
    return this.#use(() => work(this.#open().object.moves));
  }

  continueTurns(): Promise<boolean> {
    return this.#use(async () => (await this.#opened?.object.continueTurns()) ?? false);
  }

  /** It isn't idle meanwhile. */
  async #use<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#requests += 1;
    try {
      return await work();
    } finally {
      this.#requests -= 1;
      this.#settle();
    }
  }

  async close(forGood?: SdkError): Promise<void> {
    if (this.#isClosed) return;
    // What it has used is told to its directory, also where it rests.
    const opened = forGood ? this.#tryOpen() : this.#opened;
    this.#isClosed = true;
    this.#timer?.[Symbol.dispose]();
    this.#server[Symbol.dispose]();
    // The code says that the server starts anew: clients try again.
    for (const socket of this.#sockets) {
      // Who isn't told connects again, and so begins it anew.
      if (forGood) socket.send(JSON.stringify({ type: 'refused', error: toWireError(forGood) }));
      socket.close(forGood ? closeCodes.refused : 1012, 'The session ends here.');
    }
    const ending = forGood ? opened?.object.deleteArchive() : opened?.object.release();
    await ending?.catch((error: unknown) => this.#options.onError(error));
    await this.#ringing;
    opened?.storage[Symbol.dispose]();
  }

  /** Undefined: it can't be opened, as was told. */
  #tryOpen(): Opened | undefined {
    try {
      return this.#open();
    } catch (error) {
      this.#options.onError(error);
      return undefined;
    }
  }

  #settle(): void {
    if (this.isIdle && !this.#isClosed) this.#options.onIdle();
  }

  #open(): Opened {
    if (this.#isClosed) throw closed(this.#options.id);
    return (this.#opened ??= this.#openNow());
  }

  #openNow(): Opened {
    const { id } = this.#options;
    const given = this.#options.object();
    const opened = this.#options.openStorage();
    try {
      const storage = this.#withAlarm(opened);
      const object = createSessionObject(
        { id, storage },
        {
          ...given,
          sessionId: id,
          wire: (session, files) => {
            this.#files = files;
            return {
              ...noEvents,
              opened: () => this.#follow(session),
              moved: (moved, url) => this.#server.moved(moved, url),
            };
          },
        },
      );
      // Work that another process has left continues without a request.
      const armed = createAlarmTable(storage).arm(Date.now());
      return { object, storage: opened, armed };
    } catch (error) {
      opened[Symbol.dispose]();
      throw error;
    }
  }

  #follow(session: AgentSession): void {
    if (this.#server.size === 0) return;
    this.#server.attach(session);
    this.#server.renewFiles();
  }

  async #openFiles(): Promise<ServedFiles> {
    await this.#open().object.session();
    if (!this.#files) throw new SdkError('internal', 'The session has no files yet.');
    return this.#files();
  }

  /** The storage with the one alarm of a Durable Object: here a timer of this process. */
  #withAlarm({ sql, transactionSync }: SqliteStorage): ObjectStorage {
    const set = async (at: number | null) => {
      this.#alarmAt = at;
      this.#arm();
    };
    return {
      sql,
      transactionSync,
      // Each write is on the disk when it returns.
      sync: async () => undefined,
      getAlarm: async () => this.#alarmAt,
      setAlarm: set,
      deleteAlarm: () => set(null),
    };
  }

  #arm(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    const at = this.#alarmAt;
    if (at === null || this.#ringing || this.#isClosed) return;
    const delay = Math.min(Math.max(0, at - Date.now()), maxTimerMs);
    this.#timer = systemClock.after(delay, () => {
      if (Date.now() < at) return this.#arm();
      this.#ringing = this.#ring().finally(() => {
        this.#ringing = undefined;
        this.#arm();
        this.#settle();
      });
    });
  }

  /** Never rejects. One at a time, as at the edge. */
  async #ring(): Promise<void> {
    this.#alarmAt = null;
    try {
      await this.#opened?.object.alarm();
    } catch (error) {
      // It has set the alarm anew where it is to be tried again.
      if (!this.#isClosed) this.#options.onError(error);
    }
  }

  /** Says of a client that came late that it has left. */
  #watch(): SessionServer {
    const server = this.#server;
    return {
      get size() {
        return server.size;
      },
      refusal: () => server.refusal(),
      join: (socket, client) => {
        server.join(socket, client);
        this.#sockets.add(socket);
        if (this.#gone.has(socket)) this.#leave(socket);
      },
      receive: (socket, frame) => server.receive(socket, frame),
      leave: (socket) => this.#leave(socket),
      attach: (session) => server.attach(session),
      moved: (sessionId, url) => server.moved(sessionId, url),
      renewFiles: () => server.renewFiles(),
      [Symbol.dispose]: () => server[Symbol.dispose](),
    };
  }

  #leave(socket: ClientSocket): void {
    this.#server.leave(socket);
    this.#sockets.delete(socket);
    this.#settle();
  }

  #accept(protocol: string, request: Request): ReturnType<Upgrade> {
    const upgrade = this.#upgrades.get(request);
    if (!upgrade) {
      throw new SdkError('unsupported-environment', 'This request has no WebSocket to accept.');
    }
    const server = this.#server;
    const accepted = upgrade(protocol, {
      onFrame: (frame) => void server.receive(accepted.socket, frame),
      onClose: () => {
        this.#gone.add(accepted.socket);
        this.#leave(accepted.socket);
      },
    });
    return accepted;
  }
}

/** The sockets of a process tell their server by themselves. */
const noEvents = {
  fetch: async () => undefined,
  webSocketMessage: async () => false,
  webSocketClose: async () => false,
  webSocketError: async () => false,
};

function closed(id: string): SdkError {
  return new SdkError('EFENCED', `The server of the session ${id} has ended: start it again.`, {
    data: { session: id },
  });
}
