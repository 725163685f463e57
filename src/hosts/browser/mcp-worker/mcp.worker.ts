// The worker that talks to MCP servers. It has no files and no tool code, so data from a server can
// block neither the page nor a call. The page starts it with the first server, and replaces it if
// it hangs.
import '../../../core/symbol-dispose.ts';
import { createAbortError } from '../../../core/async/abort.ts';
import { fromSerializedError, toSerializedError } from '../../../core/errors.ts';
import { createPageFetch } from '../../../core/host-ports/fetch-port.ts';
import { systemClock } from '../../../core/async/system-clock.ts';
import type { McpLoginStore } from '../../../core/mcp/mcp-login.ts';
import { defaultBounds } from '../../../mcp/client/bounds.ts';
import type { McpEvent, McpQuestion, McpQuestionAnswer } from '../../../core/mcp/mcp-exchange.ts';
import type { ClientRealm } from '../../../mcp/client/connect-server.ts';
import { createConnect } from '../../../mcp/client/known-eras.ts';
import type { Connection } from '../../../mcp/client/connection.ts';
import { createRealm } from '../../../mcp/client/create-realm.ts';
import { OpenRequests, RunningRequests } from '../wire/request-port.ts';
import type { FromMcpWorker, McpWorkerOptions, ToMcpWorker } from './mcp-protocol.ts';

const connections = new Map<number, Connection>();
const running = new RunningRequests();
/** Questions of servers that the page hasn't answered yet. */
const questions = new OpenRequests<(answer: McpQuestionAnswer) => void>();
const fromStore = new OpenRequests<{
  resolve(value: string | undefined): void;
  reject(error: Error): void;
}>();

/** The login store, which is on the page. */
const store: McpLoginStore = {
  read: (key) => askStore((id) => ({ type: 'read', id, key })),
  write: async (key, value) => void (await askStore((id) => ({ type: 'write', id, key, value }))),
};

function askStore(toMessage: (id: number) => FromMcpWorker): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    tell(toMessage(fromStore.add({ resolve, reject })));
  });
}

let realm: ClientRealm = toRealm({ bounds: defaultBounds, proxy: undefined, login: undefined });
let connect = createConnect(realm);

function toRealm({ login, ...options }: McpWorkerOptions): ClientRealm {
  return createRealm({
    ...options,
    login: login && { ...login, store },
    // POST responses aren't cached. With `no-store` the browser would repeat the CORS preflight for
    // each.
    fetch: createPageFetch(
      (url, init) => fetch(url, init.method === 'POST' ? { ...init, cache: 'default' } : init),
      location.hostname,
    ),
    now: () => systemClock.now(),
  });
}

const tell = (message: FromMcpWorker) => self.postMessage(message);

self.onmessage = ({ data }: MessageEvent<ToMcpWorker>) => void hear(data);

async function hear(message: ToMcpWorker): Promise<void> {
  switch (message.type) {
    case 'begin':
      realm = toRealm(message.options);
      connect = createConnect(realm);
      return;
    case 'stored':
      fromStore.take(message.id)?.resolve(message.value);
      return;
    case 'not-stored':
      fromStore.take(message.id)?.reject(fromSerializedError(message.error));
      return;
    case 'ping':
      tell({ type: 'pong' });
      return;
    case 'abort':
      running.abort(message.id, createAbortError('The request was cut.'));
      return;
    case 'close': {
      const connection = connections.get(message.connection);
      connections.delete(message.connection);
      await connection?.close();
      return;
    }
    case 'answer':
      questions.take(message.question)?.(message.answer);
      return;
    case 'connect':
    case 'login':
    case 'call':
    case 'follow':
    case 'ask':
      try {
        await running.run(message.id, (signal) => answer(message, signal));
      } catch (error) {
        tell({ type: 'failed', id: message.id, error: toSerializedError(error) });
      }
  }
}

async function answer(
  message: ToMcpWorker & { readonly type: 'connect' | 'login' | 'call' | 'follow' | 'ask' },
  signal: AbortSignal,
): Promise<void> {
  const { id } = message;
  if (message.type === 'login') {
    if (!realm.logins) throw new TypeError('A worker without logins was asked for one.');
    const { method, address } = message.asked;
    tell({ type: 'login', id, answer: await realm.logins[method](address, signal) });
    return;
  }
  if (message.type === 'connect') {
    const listeners = {
      abilities: message.abilities,
      onQuestion: (asked: McpQuestion, cut: AbortSignal) => put(id, asked, cut),
      onEvent: (event: McpEvent) => tell({ type: 'event', connection: id, event }),
      onOffer: (offer: Connection['offer']) => tell({ type: 'offer', connection: id, offer }),
      onLost(error: Error) {
        connections.delete(id);
        tell({ type: 'lost', connection: id, error: toSerializedError(error) });
      },
    };
    const connection = await connect(message.config, listeners, signal);
    connections.set(id, connection);
    const { offer, isLegacy } = connection;
    tell({ type: 'connected', id, offer, isLegacy });
    return;
  }
  const connection = connections.get(message.connection);
  if (!connection) throw fromSerializedError(gone);
  if (message.type === 'ask') {
    tell({ type: 'result', id, result: await connection.ask(message.request, signal) });
    return;
  }
  const { timeoutMs } = message;
  const options = {
    signal,
    ...(timeoutMs !== undefined && { timeoutMs }),
    onProgress: (progress: unknown) => tell({ type: 'progress', id, progress }),
  };
  const result =
    message.type === 'follow'
      ? await connection.follow(message.taskId, options)
      : await connection.call(message.toolName, message.input, options);
  tell({ type: 'result', id, result });
}

/** Never rejects, because the page answers every question. */
function put(
  connection: number,
  asked: McpQuestion,
  signal: AbortSignal,
): Promise<McpQuestionAnswer> {
  return new Promise((resolve) => {
    const question = questions.add((answer) => {
      signal.removeEventListener('abort', withdraw);
      resolve(answer);
    });
    const withdraw = () => tell({ type: 'withdrawn', question });
    tell({ type: 'question', connection, question, asked });
    if (signal.aborted) withdraw();
    else signal.addEventListener('abort', withdraw, { once: true });
  });
}

const gone = {
  name: 'SdkError',
  code: 'mcp-failed',
  message: 'The connection with the server is closed.',
  data: {},
} as const;
