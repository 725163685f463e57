// Sessions in one process of Node, Deno or Bun: each in a file of SQLite's, and connected to by the same wire as at
// the edge. One process, and nothing beside it.
import { checkLimitOptions, checkOptionNames } from '../../core/check-option-names.ts';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isThisMachine } from '../../core/access/network-hosts.ts';
import { SdkError, describeThrown } from '../../core/errors.ts';
import { checkAuthorize } from '../../wire/check-authorize.ts';
import { checkOrigins } from '../../wire/check-origins.ts';
import { toWireError } from '../../wire/protocol.ts';
import type { WireGrant } from '../../wire/protocol.ts';
import { defaultWireLimits } from '../../wire/limits.ts';
import type { WireLimits } from '../../wire/limits.ts';
import type { PlaceOptions } from '../../wire/handover/ask-place.ts';
import type { BroughtBack } from '../../wire/handover/bring-back.ts';
import type { SettledMove } from '../../wire/handover/settle-move.ts';
import { createMemoryTickets } from '../../wire/tickets.ts';
import type { TicketStore } from '../../wire/tickets.ts';
import { checkWasm } from '../edge/check-bindings.ts';
import type { SessionMoves } from '../edge/object/asked-moves.ts';
import type { SessionObjectOptions } from '../edge/object/session-object-options.ts';
import type { ObjectSession } from '../edge/object/sleeping-session.ts';
import type { Handle, Listen, Listener, Upgrade } from './listener.ts';
import { openStorageFile } from './open-sqlite-storage.ts';
import { createSessionRoom } from './session-room.ts';
import type { SessionRoom } from './session-room.ts';
import { loadSqlite } from './sqlite-module.ts';

/** The options of a session of a server, as at the edge. */
export type ServedSessionOptions = Pick<
  SessionObjectOptions,
  'model' | 'options' | 'host' | 'version' | 'directory' | 'moves'
>;

/** The options of a server of sessions. */
export interface SessionServerOptions {
  /** The folder of the sessions' files, named `<id>.sqlite`. Created if it doesn't exist. */
  readonly folder: string;
  /** The compiled sandbox engine: `quickjs.wasm` of this package. */
  readonly wasm: WebAssembly.Module;
  /**
   * Returns the options of the session with that id. Called whenever the session is loaded into
   * memory, after the caller was authorized.
   */
  session(id: string): ServedSessionOptions;
  /**
   * Decides who gets a ticket for that session: by a cookie, a header or your own token. Undefined
   * refuses the request.
   */
  authorize(request: Request, id: string): WireGrant | undefined | Promise<WireGrant | undefined>;
  /**
   * The origins whose pages may connect. Required behind a proxy.
   * @defaultValue the origin of the request's own address; if the server listens only on this
   * machine, only this machine's names
   */
  readonly origins?: readonly string[];
  readonly limits?: Partial<WireLimits>;
  /** Answers requests that aren't for the wire: pages and your own routes. Left out: 404. */
  fetch?(request: Request): Response | Promise<Response>;
  /** Called with errors that no caller receives. `session`: the id of the affected session. */
  onError(error: unknown, session: string | undefined): void;
}

/** Where and how to listen. */
export interface SessionListenOptions {
  /** 0: any free port. */
  readonly port: number;
  /** @defaultValue `127.0.0.1`: only this machine */
  readonly hostname?: string;
  /** `events`: no WebSockets, for which Node needs the package `ws`. Left out: with WebSockets. */
  readonly transport?: 'events';
}

/**
 * The sessions and their connections. Dispose it to end the server; running turns continue when it
 * is created again.
 */
export interface SessionServer extends AsyncDisposable {
  /**
   * Listens for clients at `<url>/<anything>/<id>/wire`. An id has at most 100 characters of a-z,
   * 0-9, `-` and `_`. Rejects if the address is in use, and with `unsupported-environment` if Node
   * has no `ws`.
   */
  listen(options: SessionListenOptions): Promise<{ readonly url: string }>;
  /**
   * Opens a session for use in this process, and creates it if it doesn't exist. It stays in memory
   * until the server ends.
   */
  session(id: string): Promise<ObjectSession>;
  /**
   * Moves a session from here to the place at that address: an object, or another server. Others move it here and away
   * by its wire: `session.moveTo`, `bringBack`. Where it rejects the session goes on here; but for `worker-lost` with
   * `data.isUnsure`: then `settleMove` asks.
   */
  moveTo(id: string, url: string, options: PlaceOptions): Promise<void>;
  /** Fetches the session at that address. It continues here under this id. */
  bringBack(id: string, url: string, options: PlaceOptions): Promise<BroughtBack>;
  /**
   * Finds out where the session runs if a `moveTo` wasn't answered. Until then it can't be opened
   * here.
   */
  settleMove(id: string, options: Parameters<SessionMoves['settle']>[0]): Promise<SettledMove>;
  /**
   * Asks the session's `directory` at once for a turn that it has refused, instead of within 15
   * minutes. False: no turn waits. Pass it to `createSessionDirectory` as `continueSession`.
   */
  continueTurns(id: string): Promise<boolean>;
  /** The ids of all stored sessions, including those that have moved away. */
  list(): Promise<readonly string[]>;
  /**
   * Deletes the session and its files. Its connections are closed, and its usage is reported to its
   * `directory`.
   */
  delete(id: string): Promise<void>;
}

/** Only lower case, because some file systems ignore case. */
const idPattern = /^[a-z0-9_-]{1,100}$/u;
const wirePattern = /\/([^/]+)\/wire(?:\/(?:ticket|move))?$/u;
const ending = '.sqlite';

/**
 * Opens a folder of sessions, and locks it for this process. Sessions with an interrupted turn
 * continue by themselves. A session is in memory while a client is connected or work is due.
 *
 * @throws SdkError `EBUSY` if another process has opened the folder. `bad-usage` for wasm that
 * isn't compiled and for invalid `origins`. `unsupported-environment` if the runtime has no SQLite
 *
 * @example
 * ```ts
 * const server = await createSessionServer({ folder, wasm, session: () => ({ model }), authorize, onError: console.error });
 * const { url } = await server.listen({ port: 8080 });
 * ```
 */
export async function createSessionServer(options: SessionServerOptions): Promise<SessionServer> {
  checkOptionNames('createSessionServer', options, knownOptions);
  checkLimitOptions('limits of createSessionServer', options.limits, defaultWireLimits);
  checkWasm(options.wasm);
  checkAuthorize('createSessionServer', options.authorize);
  checkOrigins(options.origins);
  const openDatabase = await loadSqlite();
  await mkdir(options.folder, { recursive: true });
  // Held until the process ends, in whatever way.
  const lock = openStorageFile(openDatabase, join(options.folder, 'server.lock'));
  const tickets = createMemoryTickets();
  const rooms = new Map<string, SessionRoom>();
  const ends = new Map<string, Promise<void>>();
  const listeners: Listener[] = [];
  let isClosed = false;

  const toFile = (id: string) => join(options.folder, `${id}${ending}`);

  function roomOf(id: string): SessionRoom {
    const known = rooms.get(id);
    if (known) return known;
    if (isClosed) throw ended();
    const { wasm, origins, limits } = options;
    const room = createSessionRoom({
      id,
      object() {
        const given = options.session(id);
        return { ...given, wasm, moves: { name: 'a server', ...given.moves } };
      },
      openStorage: () => openStorageFile(openDatabase, toFile(id)),
      tickets: ofSession(tickets, id),
      authorize: (request) => options.authorize(request, id),
      onIdle: () => void close(id, room).catch((error: unknown) => options.onError(error, id)),
      onError: (error) => options.onError(error, id),
      ...(origins && { origins }),
      ...(limits && { limits }),
    });
    rooms.set(id, room);
    return room;
  }

  /** `last`: runs before another session with the id may open. */
  async function close(
    id: string,
    room: SessionRoom | undefined,
    last = nothing,
    forGood?: SdkError,
  ): Promise<void> {
    rooms.delete(id);
    const end = (room?.close(forGood) ?? Promise.resolve())
      .then(last)
      .finally(() => ends.delete(id));
    ends.set(id, end);
    await end;
  }

  /** A closing session with the same id still uses the file. */
  async function whenEnded(id: string): Promise<void> {
    while (ends.has(id)) await ends.get(id);
  }

  async function removeFiles(id: string): Promise<void> {
    for (const tail of ['', '-wal', '-shm']) await rm(`${toFile(id)}${tail}`, { force: true });
  }

  async function move<Result>(
    id: string,
    work: (moves: SessionMoves) => Promise<Result>,
  ): Promise<Result> {
    if (!idPattern.test(id)) throw badId(id);
    await whenEnded(id);
    return roomOf(id).move(work);
  }

  async function answer(request: Request, upgrade: Upgrade | undefined): Promise<Response> {
    const { pathname } = new URL(request.url);
    const [, id = ''] = wirePattern.exec(pathname) ?? [];
    if (id === '') return (await options.fetch?.(request)) ?? notFound();
    if (!idPattern.test(id)) return refuse(400, badId(id));
    const isUpgrade = request.headers.get('upgrade')?.toLowerCase() === 'websocket';
    if (isUpgrade && !upgrade) return refuse(426, noSockets());
    await whenEnded(id);
    return (await roomOf(id).handle(request, upgrade)) ?? notFound();
  }

  const handle: Handle = async (request, upgrade) => {
    try {
      return await answer(request, upgrade);
    } catch (error) {
      options.onError(error, undefined);
      // Security: foreign errors may contain secrets, such as how a database is reached.
      return refuse(500, SdkError.isInstance(error) ? error : failed());
    }
  };

  /**
   * Security: a foreign page's domain may resolve to this machine (DNS rebinding). The page's
   * origin then equals the origin of the request's own address.
   */
  const handleOfMachine: Handle = async (request, upgrade) => {
    const origin = request.headers.get('origin');
    const { hostname, pathname } = new URL(request.url);
    const isForeign = origin !== null && !isThisMachine(hostname);
    return isForeign && wirePattern.test(pathname)
      ? refuse(403, foreignPage(origin))
      : handle(request, upgrade);
  };

  async function list(): Promise<readonly string[]> {
    const names = await readdir(options.folder);
    const ids = names.filter((name) => name.endsWith(ending));
    return ids.map((name) => name.slice(0, -ending.length)).filter((id) => idPattern.test(id));
  }

  async function wakeAll(): Promise<void> {
    for (const id of await list()) {
      try {
        await roomOf(id).wake();
      } catch (error) {
        // A session that can't be opened must not affect the others.
        options.onError(error, id);
        rooms.delete(id);
      }
    }
  }

  try {
    await wakeAll();
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }

  return {
    async listen({ port, hostname = '127.0.0.1', transport }) {
      if (isClosed) throw ended();
      const listen = await chooseListener(transport);
      const isLocal = options.origins === undefined && isThisMachine(hostname);
      const listener = await listen(isLocal ? handleOfMachine : handle, { port, hostname });
      listeners.push(listener);
      const host = hostname.includes(':') ? `[${hostname}]` : hostname;
      return { url: `http://${host}:${listener.port}` };
    },
    async session(id) {
      if (!idPattern.test(id)) throw badId(id);
      await whenEnded(id);
      return roomOf(id).session();
    },
    moveTo: (id, url, how) => move(id, (moves) => moves.moveTo(url, how)),
    bringBack: (id, url, how) => move(id, (moves) => moves.bringBack(url, how)),
    settleMove: (id, how) => move(id, (moves) => moves.settle(how)),
    async continueTurns(id) {
      if (!idPattern.test(id)) throw badId(id);
      await whenEnded(id);
      // A waiting turn has an alarm, which keeps its session in memory.
      return (await rooms.get(id)?.continueTurns()) ?? false;
    },
    list,
    async delete(id) {
      if (!idPattern.test(id)) throw badId(id);
      const isKept = !isClosed && (await list()).includes(id);
      await whenEnded(id);
      const room = isKept ? roomOf(id) : rooms.get(id);
      await close(id, room, () => removeFiles(id), createDeletedError(id));
    },
    async [Symbol.asyncDispose]() {
      if (isClosed) return;
      isClosed = true;
      // If a session fails to close, the port and the folder are released anyway.
      const results = [
        ...(await Promise.allSettled([...rooms].map(([id, room]) => close(id, room)))),
        ...(await Promise.allSettled(listeners.map((listener) => listener.close()))),
        ...(await Promise.allSettled(ends.values())),
      ];
      lock[Symbol.dispose]();
      const failed = results.find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
    },
  };
}

const nothing = async (): Promise<void> => undefined;

/** Returns the listener for the current runtime. */
async function chooseListener(transport: 'events' | undefined): Promise<Listen> {
  if ('Deno' in globalThis) return (await import('./listen-deno.ts')).listenOnDeno;
  if ('Bun' in globalThis) return (await import('./listen-bun.ts')).listenOnBun;
  const node = await import('./listen-node.ts');
  return transport === 'events' ? node.listenOnNodeByEvents : node.listenOnNode;
}

/**
 * Separate for each session. A ticket is valid for 30 seconds, so tickets of an ended process have
 * expired anyway.
 */
function ofSession(tickets: TicketStore, id: string): TicketStore {
  const toKey = (hash: string) => `${id} ${hash}`;
  return {
    add: (ticket, forgetBefore) =>
      tickets.add({ ...ticket, hash: toKey(ticket.hash) }, forgetBefore),
    take: (hash) => tickets.take(toKey(hash)),
  };
}

function foreignPage(origin: string): SdkError {
  return new SdkError(
    'permission-denied',
    `Pages of ${origin.slice(0, 200)} may not connect to this session: name it in origins.`,
  );
}

function failed(): SdkError {
  return new SdkError('internal', 'The server failed, and its operator was told. Try again.');
}

function refuse(status: number, error: unknown): Response {
  return Response.json({ error: toWireError(error) }, { status });
}

function notFound(): Response {
  return new Response('There is nothing here.\n', { status: 404 });
}

function createDeletedError(id: string): SdkError {
  return new SdkError('bad-usage', `The session ${id} was deleted.`, { data: { session: id } });
}

function ended(): SdkError {
  return new SdkError('bad-usage', 'This server of sessions has ended: make another one.');
}

function noSockets(): SdkError {
  return new SdkError(
    'unsupported-environment',
    "This server takes no WebSockets: it listens with transport: 'events'.",
  );
}

function badId(id: unknown): SdkError {
  return new SdkError(
    'bad-usage',
    `A session of a server has an id of a-z, 0-9, - and _, 100 characters at most, not ${describeThrown(id).slice(0, 100)}.`,
  );
}

const knownOptions = {
  folder: true,
  wasm: true,
  session: true,
  authorize: true,
  origins: true,
  limits: true,
  fetch: true,
  onError: true,
} satisfies Record<keyof SessionServerOptions, true>;
