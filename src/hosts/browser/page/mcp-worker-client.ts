// The page's side of the MCP worker. Starts the worker with the first server, and ends one that
// doesn't answer in time. The next server then gets a new worker. Created by
// create-browser-host.ts.
import { createAbortError } from '../../../core/async/abort.ts';
import { type Deferred, createDeferred } from '../../../core/async/deferred.ts';
import { SdkError, fromSerializedError, toSerializedError } from '../../../core/errors.ts';
import type { McpLogin, McpLogins } from '../../../core/mcp/mcp-login.ts';
import { startPausableTimer } from '../../../core/async/pausable-timer.ts';
import type { Clock } from '../../../core/tool/ports.ts';
import type { McpMessagePort } from '../../../core/mcp/mcp-server.ts';
import { defaultBounds } from '../../../mcp/client/bounds.ts';
import type {
  CallOptions,
  Connect,
  Connection,
  ConnectionListeners,
  Offer,
} from '../../../mcp/client/connection.ts';
import { createMemoryLoginStore } from '../../../mcp/client/login/login-records.ts';
import type { McpHostOptions } from '../../../mcp/client/thread-client.ts';
import type { AskMcpServer } from '../../../core/mcp/mcp-exchange.ts';
import type { FromMcpWorker, ToMcpWorker } from '../mcp-worker/mcp-protocol.ts';
import type { StartedWorker } from '../pool/start-worker.ts';
import { createClosedHostError } from '../../closed-host.ts';
import { OpenRequests } from '../wire/request-port.ts';

// 2 s: a responsive worker has reported its own deadline by then.
const graceMs = 2_000;

// 60 s: its code is loaded over the network.
const loadMs = 60_000;

// 5 pings, one each second: a worker that is only busy with a large list answers one of them.
const pingMs = 1_000;
const maxUnheardPings = 5;

interface OpenRequest {
  resolve(answer: FromMcpWorker): void;
  reject(error: Error): void;
  onProgress?(progress: unknown): void;
  /** The connection that the request is about. Undefined for a new one. */
  readonly connection?: number;
  /** Pauses the request's deadline until the returned function is called. */
  pause(): () => void;
}

interface OpenConnection extends ConnectionListeners {
  offer: Offer;
}

/** A server's question that isn't answered yet. */
interface OpenQuestion {
  readonly controller: AbortController;
}

/** One worker and everything open with it. */
interface Running {
  readonly started: StartedWorker;
  readonly requests: OpenRequests<OpenRequest>;
  readonly connections: Map<number, OpenConnection>;
  /** The open questions by the worker's numbers. */
  readonly questions: Map<number, OpenQuestion>;
  isOver: boolean;
  /** Resolves at the worker's first message: its code is there. Rejects if it ends before. */
  readonly ready: Deferred;
  /** Pings since its last sign of life. Undefined if nothing is requested, so it isn't watched. */
  unheard?: number | undefined;
}

/** Dispose of it to end the worker. Later requests reject with `bad-usage`. */
export interface McpWorkerClient extends Disposable {
  readonly connect: Connect;
  /** The logins of the host's options. If these have none, the worker has none. */
  readonly logins: McpLogins;
}

export function createMcpWorkerClient(
  start: () => StartedWorker,
  clock: Clock,
  { login, proxy, bounds: givenBounds }: McpHostOptions = {},
): McpWorkerClient {
  const bounds = { ...defaultBounds, ...givenBounds };
  const store = login?.store ?? createMemoryLoginStore();
  let running: Running | undefined;
  let isDisposed = false;

  function run(): Running {
    // A lost server is connected again, even for a session that nobody reads any more.
    if (isDisposed) throw createClosedHostError();
    if (running) return running;
    const started = start();
    const ready = createDeferred();
    const now: Running = {
      started,
      requests: new OpenRequests(),
      connections: new Map(),
      questions: new Map(),
      isOver: false,
      ready,
    };
    started.worker.onmessage = ({ data }: MessageEvent<FromMcpWorker>) => {
      if (data.type === 'read' || data.type === 'write') void serveStore(now, data);
      else hear(now, data);
    };
    const { store: _ours, ...plain } = login ?? {};
    const begin: ToMcpWorker = {
      type: 'begin',
      options: { bounds, proxy, login: login && plain },
    };
    started.worker.postMessage(begin);
    void started.failure.then((error) => end(now, error));
    started.worker.postMessage({ type: 'ping' } satisfies ToMcpWorker);
    const loading = clock.after(loadMs, () => end(now, hangs()));
    void ready.promise.then(
      () => loading[Symbol.dispose](),
      () => loading[Symbol.dispose](),
    );
    running = now;
    return now;
  }

  async function serveStore(
    { started }: Running,
    message: FromMcpWorker & { readonly type: 'read' | 'write' },
  ): Promise<void> {
    const { id, key } = message;
    let answer: ToMcpWorker;
    try {
      const value =
        message.type === 'read' ? await store.read(key) : await store.write(key, message.value);
      answer = { type: 'stored', id, value: value ?? undefined };
    } catch (error) {
      answer = { type: 'not-stored', id, error: toSerializedError(error) };
    }
    started.worker.postMessage(answer);
  }

  function end(now: Running, error: Error): void {
    if (now.isOver) return;
    now.isOver = true;
    if (running === now) running = undefined;
    now.started[Symbol.dispose]();
    now.ready.reject(error);
    for (const request of now.requests.takeAll()) request.reject(error);
    for (const { controller } of now.questions.values()) controller.abort(error);
    for (const connection of now.connections.values()) connection.onLost(error);
  }

  /**
   * Watches the worker while requests are open. Each ping waits for the previous one, so that
   * messages queued while the page slept are handled first.
   */
  function watch(now: Running): void {
    if (now.unheard !== undefined) return;
    now.unheard = 0;
    const ping = () => {
      if (now.isOver) return;
      if (now.requests.entries().length === 0) {
        now.unheard = undefined;
        return;
      }
      now.unheard = (now.unheard ?? 0) + 1;
      if (now.unheard > maxUnheardPings) {
        end(now, hangs());
        return;
      }
      now.started.worker.postMessage({ type: 'ping' } satisfies ToMcpWorker);
      clock.after(pingMs, ping);
    };
    clock.after(pingMs, ping);
  }

  /** `ms` is how long the worker itself may take. */
  function ask(
    now: Running,
    toMessage: (id: number) => ToMcpWorker,
    {
      signal,
      ms,
      onProgress,
      transfer = [],
      connection,
    }: { signal: AbortSignal; ms: number; transfer?: Transferable[] } & Pick<
      OpenRequest,
      'onProgress' | 'connection'
    >,
  ): Promise<{ readonly id: number; readonly answer: FromMcpWorker }> {
    if (signal.aborted) return Promise.reject(createAbortError('The request was cut.'));
    return new Promise((resolve, reject) => {
      const settle = () => {
        deadline[Symbol.dispose]();
        signal.removeEventListener('abort', abort);
      };
      const id = now.requests.add({
        resolve(answer) {
          settle();
          resolve({ id, answer });
        },
        reject(error) {
          settle();
          reject(error);
        },
        ...(onProgress && { onProgress }),
        ...(connection !== undefined && { connection }),
        pause: () => deadline.pause(),
      });
      const abort = () =>
        now.started.worker.postMessage({ type: 'abort', id } satisfies ToMcpWorker);
      const deadline = startPausableTimer(clock, ms + graceMs, () => end(now, hangs()));
      signal.addEventListener('abort', abort);
      now.started.worker.postMessage(toMessage(id), transfer);
      watch(now);
    });
  }

  async function connect(
    config: Parameters<Connect>[0],
    listeners: ConnectionListeners,
    signal: AbortSignal,
  ): Promise<Connection> {
    const now = run();
    // A server's deadline doesn't run while Rockpool's own code is loading.
    await now.ready.promise;
    const relay = config.type === 'port' ? relayPort(config.port) : undefined;
    const sent = relay && config.type === 'port' ? { ...config, port: relay.port } : config;
    const { abilities } = listeners;
    const toMessage = (id: number) => ({ type: 'connect', id, config: sent, abilities }) as const;
    const asked = ask(now, toMessage, {
      signal,
      ms: bounds.connectMs,
      ...(relay && { transfer: [relay.port] }),
    });
    asked.catch(() => relay?.[Symbol.dispose]());
    const { id, answer } = await asked;
    if (answer.type !== 'connected')
      throw new TypeError(`A connection was answered by ${answer.type}.`);
    const onLost: typeof listeners.onLost = (error) => {
      relay?.[Symbol.dispose]();
      listeners.onLost(error);
    };
    const open: OpenConnection = { ...listeners, onLost, offer: answer.offer };
    now.connections.set(id, open);
    async function pass(
      toMessage: (runId: number) => ToMcpWorker,
      { signal: cut, timeoutMs, onProgress }: CallOptions,
    ): Promise<unknown> {
      if (now.isOver) throw hangs();
      const ms = timeoutMs ?? bounds.callMs;
      const done = await ask(now, toMessage, { signal: cut, ms, onProgress, connection: id });
      return done.answer.type === 'result' ? done.answer.result : undefined;
    }
    return {
      isLegacy: answer.isLegacy,
      get offer() {
        return open.offer;
      },
      call(toolName, input, options) {
        const { timeoutMs } = options;
        const of = { connection: id, toolName, input, timeoutMs };
        return pass((callId) => ({ type: 'call', id: callId, ...of }), options);
      },
      follow(taskId, options) {
        const of = { connection: id, taskId, timeoutMs: options.timeoutMs };
        return pass((followId) => ({ type: 'follow', id: followId, ...of }), options);
      },
      ask: (async (request, cut) => {
        if (now.isOver) throw hangs();
        const message = (askId: number) =>
          ({ type: 'ask', id: askId, connection: id, request }) as const;
        const done = await ask(now, message, { signal: cut, ms: bounds.callMs, connection: id });
        return done.answer.type === 'result' ? done.answer.result : undefined;
      }) as AskMcpServer,
      async close() {
        relay?.[Symbol.dispose]();
        if (!now.connections.delete(id) || now.isOver) return;
        now.started.worker.postMessage({ type: 'close', connection: id } satisfies ToMcpWorker);
      },
    };
  }

  async function askLogin(
    method: keyof McpLogins,
    address: string,
    signal: AbortSignal,
  ): Promise<McpLogin | string | void> {
    const toMessage = (id: number) => ({ type: 'login', id, asked: { method, address } }) as const;
    const now = run();
    await now.ready.promise;
    const { answer } = await ask(now, toMessage, { signal, ms: bounds.loginMs });
    if (answer.type !== 'login') throw new TypeError(`A login was answered by ${answer.type}.`);
    return answer.answer;
  }

  return {
    connect,
    logins: {
      begin: async (url, signal) => (await askLogin('begin', url, signal)) as McpLogin,
      complete: async (url, signal) => (await askLogin('complete', url, signal)) as string,
      forget: async (url, signal) => void (await askLogin('forget', url, signal)),
    },
    [Symbol.dispose]() {
      isDisposed = true;
      if (running) end(running, createAbortError('The host was closed.'));
    },
  };
}

/**
 * The host's port stays on the page, because it can only be transferred once. A replacement worker
 * gets another relay.
 */
function relayPort(port: McpMessagePort): Disposable & { readonly port: MessagePort } {
  const { port1: near, port2: far } = new MessageChannel();
  const toServer = ({ data }: { readonly data: unknown }) => port.postMessage(data);
  const toWorker = ({ data }: { readonly data: unknown }) => near.postMessage(data);
  near.addEventListener('message', toServer);
  near.start();
  port.addEventListener('message', toWorker);
  port.start?.();
  return {
    port: far,
    [Symbol.dispose]() {
      port.removeEventListener('message', toWorker);
      near.close();
    },
  };
}

function hear(now: Running, message: FromMcpWorker): void {
  const { requests, connections } = now;
  now.ready.resolve();
  if (now.unheard !== undefined) now.unheard = 0;
  switch (message.type) {
    case 'pong':
      return;
    case 'question':
      void putQuestion(now, message);
      return;
    case 'withdrawn':
      now.questions.get(message.question)?.controller.abort();
      return;
    case 'event':
      connections.get(message.connection)?.onEvent(message.event);
      return;
    case 'progress':
      requests.get(message.id)?.onProgress?.(message.progress);
      return;
    case 'failed':
      requests.take(message.id)?.reject(fromSerializedError(message.error));
      return;
    case 'connected':
    case 'login':
    case 'result':
      requests.take(message.id)?.resolve(message);
      return;
    case 'offer': {
      const connection = connections.get(message.connection);
      if (connection) connection.offer = message.offer;
      connection?.onOffer(message.offer);
      return;
    }
    case 'lost': {
      const connection = connections.get(message.connection);
      connections.delete(message.connection);
      connection?.onLost(fromSerializedError(message.error));
    }
  }
}

/** Asks a server's question. The deadline of its request is paused meanwhile. */
async function putQuestion(
  { requests, connections, questions, started }: Running,
  { connection, question, asked }: Extract<FromMcpWorker, { type: 'question' }>,
): Promise<void> {
  const controller = new AbortController();
  questions.set(question, { controller });
  const resumes = requests
    .entries()
    .flatMap(([, request]) => (request.connection === connection ? [request.pause()] : []));
  const open = connections.get(connection);
  const answer = open
    ? await open.onQuestion(asked, controller.signal)
    : ({ type: 'refused', message: 'The connection is closed.' } as const);
  for (const resume of resumes) resume();
  questions.delete(question);
  started.worker.postMessage({ type: 'answer', question, answer } satisfies ToMcpWorker);
}

function hangs(): SdkError {
  return new SdkError(
    'mcp-failed',
    'The MCP worker did not answer in time and was ended. The server is connected again; if it goes on, switch it off.',
  );
}
