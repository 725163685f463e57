// A language server behind a message port or a worker, which speaks JSON-RPC one message at a time, as the browser builds of
// servers do. Each request gives it the file's text of the call, so that its answer is of that text.
import { checkOptionNames } from '../core/check-option-names.ts';
import { createAbortError, throwIfAborted, untilAborted } from '../core/async/abort.ts';
import { inTime } from '../core/async/in-time.ts';
import { SdkError } from '../core/errors.ts';
import { isRecord } from '../core/values/is-record.ts';
import { fromUri, toUri } from './file-uri.ts';
import type {
  LanguageMethod,
  LanguageParams,
  LanguageRequestOptions,
  LanguageServer,
  LspDiagnostic,
} from './language-server.ts';

/** What carries messages, each a task later at the earliest: a `MessagePort`, or a dedicated `Worker`. */
export interface LanguagePort {
  postMessage(message: unknown): void;
  /** `error` is a `Worker`'s that fails, `close` a `MessagePort`'s whose other side is gone. */
  addEventListener(
    type: 'message' | 'error' | 'close',
    listener: (event: { readonly data?: unknown }) => void,
  ): void;
  /** A `MessagePort` has it. */
  start?(): void;
  /** A `MessagePort` has it. */
  close?(): void;
  /** A `Worker` has it. */
  terminate?(): void;
}

/** Which server, and how it is reached. */
export interface PortLanguageServerOptions {
  /** Its name for the model: `python`. */
  readonly id: string;
  /** The files that it serves: `['*.py']`. */
  readonly files: readonly string[];
  /** The protocol's name of their language: `python`. */
  readonly languageId: string;
  /** Called with the first request, and again after `release`. What it gives is the server's to close. */
  readonly connect: () => LanguagePort | Promise<LanguagePort>;
  /** The protocol's `initializationOptions`. */
  readonly initializationOptions?: unknown;
}

// A server that publishes diagnostics says nothing of a text that it hasn't looked at: so long is waited for it.
const publishMs = 10_000;
// What a timer can wait for.
const maxTimerMs = 2 ** 31 - 1;

interface Connection {
  readonly port: LanguagePort;
  readonly capabilities: Readonly<Record<string, unknown>>;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** A document as the server has it. */
interface OpenText {
  version: number;
  text: string;
}

/**
 * A server of your own. It gets only the texts of the files that it is asked about. If it reads more of the workspace,
 * its host has to provide that, in the same version. It is asked one thing at a time.
 */
export function createPortLanguageServer(options: PortLanguageServerOptions): LanguageServer {
  checkOptionNames('createPortLanguageServer', options, knownOptions);
  const { id, files, languageId } = options;
  const waiting = new Map<number, Waiting>();
  const open = new Map<string, OpenText>();
  /** By {@link toKey}: whoever waits for what the server says of a version. */
  const published = new Map<string, (version: number | undefined, found: unknown) => void>();
  let connecting: Promise<Connection> | undefined;
  let port: LanguagePort | undefined;
  let releases = 0;
  let lastId = 0;
  let last: Promise<unknown> = Promise.resolve();

  function receive(data: unknown): void {
    const message = typeof data === 'string' ? readJson(data) : data;
    if (!isRecord(message)) return;
    const { id: number, method, params } = message;
    if (typeof method === 'string') {
      if (method === 'textDocument/publishDiagnostics' && isRecord(params)) {
        const { uri, version, diagnostics } = params;
        published.get(toKey(String(uri)))?.(
          typeof version === 'number' ? version : undefined,
          diagnostics,
        );
      } else if (number !== undefined) answer(number, method, params);
      return;
    }
    const asked = typeof number === 'number' ? waiting.get(number) : undefined;
    if (!asked) return;
    waiting.delete(number as number);
    const { error } = message;
    if (!isRecord(error)) return asked.resolve(message['result']);
    asked.reject(
      new SdkError('tool-failed', `The language server ${id} failed: ${String(error['message'])}`, {
        data: { server: id, code: Number(error['code']) },
      }),
    );
  }

  /** What a server asks its client: settings, of which there are none. */
  function answer(number: unknown, method: string, params: unknown): void {
    const items = isRecord(params) && Array.isArray(params['items']) ? params['items'] : [];
    const result = method === 'workspace/configuration' ? items.map(() => null) : null;
    post({ id: number, result });
  }

  function post(message: Readonly<Record<string, unknown>>): void {
    port?.postMessage({ jsonrpc: '2.0', ...message });
  }

  function send(method: string, params: unknown, signal?: AbortSignal): Promise<unknown> {
    const number = (lastId += 1);
    return new Promise((resolve, reject) => {
      const cut = () => {
        waiting.delete(number);
        post({ method: '$/cancelRequest', params: { id: number } });
        reject(createAbortError(signal?.reason));
      };
      const forget = () => signal?.removeEventListener('abort', cut);
      waiting.set(number, {
        resolve: (result) => {
          forget();
          resolve(result);
        },
        reject: (error) => {
          forget();
          reject(error);
        },
      });
      signal?.addEventListener('abort', cut, { once: true });
      post({ id: number, method, params });
    });
  }

  async function connect({ cwd }: LanguageRequestOptions['files']): Promise<Connection> {
    const before = releases;
    const opened = await options.connect();
    if (before !== releases) {
      end(opened);
      throw createLoss(id);
    }
    port = opened;
    opened.addEventListener('message', ({ data }) => receive(data));
    for (const type of ['error', 'close'] as const) {
      opened.addEventListener(type, () => {
        if (port === opened) release();
      });
    }
    opened.start?.();
    const { initializationOptions } = options;
    const result = await send('initialize', {
      processId: null,
      rootUri: toUri(cwd),
      workspaceFolders: [{ uri: toUri(cwd), name: cwd }],
      capabilities: {
        workspace: { configuration: true },
        textDocument: {
          diagnostic: {},
          publishDiagnostics: { versionSupport: true },
          documentSymbol: { hierarchicalDocumentSymbolSupport: true },
          hover: { contentFormat: ['markdown', 'plaintext'] },
          callHierarchy: {},
        },
      },
      ...(initializationOptions !== undefined && { initializationOptions }),
    });
    post({ method: 'initialized', params: {} });
    const capabilities = isRecord(result) ? result['capabilities'] : undefined;
    return { port: opened, capabilities: isRecord(capabilities) ? capabilities : {} };
  }

  /** The server has the file as the call has it. Gives the number by which it says what it looked at. */
  function show(uri: string, text: string): number {
    const known = open.get(uri);
    if (!known) {
      open.set(uri, { version: 1, text });
      const textDocument = { uri, languageId, version: 1, text };
      post({ method: 'textDocument/didOpen', params: { textDocument } });
      return 1;
    }
    if (known.text !== text) {
      known.text = text;
      known.version += 1;
      post({
        method: 'textDocument/didChange',
        params: { textDocument: { uri, version: known.version }, contentChanges: [{ text }] },
      });
    }
    return known.version;
  }

  async function ask(
    method: LanguageMethod,
    params: LanguageParams,
    request: LanguageRequestOptions,
  ): Promise<unknown> {
    const { files: shown, signal } = request;
    if (!connecting) request.onProgress(`starting ${id}`);
    const begun = (connecting ??= connect(shown));
    let connection: Connection;
    try {
      connection = await untilAborted(begun, signal);
    } catch (error) {
      // By then the next request may have begun another.
      if (connecting === begun) release();
      throw error;
    }
    const uri = params.textDocument?.uri ?? params.item?.uri;
    const path = uri === undefined ? undefined : fromUri(uri);
    const { capabilities } = connection;
    if (!isOffered(capabilities, method)) {
      throw new SdkError(
        'invalid-input',
        `The language server ${id} has no ${method}. Ask it for something else, or use Grep.`,
        { data: { server: id, method } },
      );
    }
    const text = path === undefined ? undefined : shown.readText(path);
    const isPulled = capabilities['diagnosticProvider'] !== undefined;
    if (method !== 'textDocument/diagnostic' || isPulled || uri === undefined) {
      if (uri !== undefined && text !== undefined) show(uri, text);
      return send(method, params, signal);
    }
    // It would say nothing of a text that it has looked at already.
    if (open.delete(uri)) {
      post({ method: 'textDocument/didClose', params: { textDocument: { uri } } });
    }
    return { kind: 'full', items: await waitForPublished(uri, text ?? '', signal) };
  }

  async function waitForPublished(
    uri: string,
    text: string,
    signal: AbortSignal,
  ): Promise<readonly LspDiagnostic[]> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      return await untilAborted(
        new Promise<readonly LspDiagnostic[]>((resolve, reject) => {
          timer = setTimeout(() => reject(createSilence(id)), publishMs);
          const wanted = show(uri, text);
          published.set(toKey(uri), (version, found) => {
            // What is of an older text, or doesn't say of which, isn't told.
            if (version === wanted && Array.isArray(found)) resolve(found as LspDiagnostic[]);
          });
        }),
        signal,
      );
    } finally {
      clearTimeout(timer);
      published.delete(toKey(uri));
    }
  }

  function release(): void {
    releases += 1;
    connecting = undefined;
    open.clear();
    const ended = port;
    port = undefined;
    if (ended) end(ended);
    const lost = createLoss(id);
    for (const { reject } of waiting.values()) reject(lost);
    waiting.clear();
  }

  function untilDeadline(work: Promise<unknown>, deadline: number): Promise<unknown> {
    const ms = deadline - performance.now();
    if (ms > maxTimerMs) return work;
    return inTime(work, Math.max(0, ms), () => {
      // A server that hasn't answered by then is as good as dead: nothing else would end it.
      release();
      return createLateness(id);
    });
  }

  return {
    id,
    files,
    request(method, params, request) {
      const turn = last.then(() => {
        throwIfAborted(request.signal);
        return untilDeadline(ask(method, params, request), request.deadline);
      });
      last = turn.then(
        () => undefined,
        () => undefined,
      );
      return turn;
    },
    release,
  };
}

/** The same for one file, however its URI is written: servers spell `(` as `%28`, which stays as it is here. */
function toKey(uri: string): string {
  return fromUri(uri) ?? uri;
}

/** Some servers send their messages as texts, and others what they log: undefined. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The server's capability for each method: what it doesn't name it doesn't have. */
const providers: Readonly<Record<LanguageMethod, string | undefined>> = {
  // Where it isn't pulled it is published.
  'textDocument/diagnostic': undefined,
  'workspace/diagnostic': 'diagnosticProvider',
  'textDocument/definition': 'definitionProvider',
  'textDocument/implementation': 'implementationProvider',
  'textDocument/references': 'referencesProvider',
  'textDocument/hover': 'hoverProvider',
  'textDocument/documentSymbol': 'documentSymbolProvider',
  'workspace/symbol': 'workspaceSymbolProvider',
  'textDocument/prepareCallHierarchy': 'callHierarchyProvider',
  'callHierarchy/incomingCalls': 'callHierarchyProvider',
  'callHierarchy/outgoingCalls': 'callHierarchyProvider',
};

function isOffered(
  capabilities: Readonly<Record<string, unknown>>,
  method: LanguageMethod,
): boolean {
  const provider = providers[method];
  const given = provider === undefined || capabilities[provider];
  if (method !== 'workspace/diagnostic') return Boolean(given);
  return isRecord(given) && given['workspaceDiagnostics'] === true;
}

function end(port: LanguagePort): void {
  port.close?.();
  port.terminate?.();
}

function createLoss(id: string): SdkError {
  return new SdkError(
    'worker-lost',
    `The language server ${id} was ended. Ask again to restart it.`,
    {
      data: { server: id },
    },
  );
}

function createLateness(id: string): SdkError {
  return new SdkError(
    'limit-exceeded',
    `The language server ${id} has not answered in time, and was ended. Ask again to restart it.`,
    { data: { server: id } },
  );
}

function createSilence(id: string): SdkError {
  return new SdkError(
    'limit-exceeded',
    `The language server ${id} has said nothing of this version of the file within ${publishMs / 1000} s. Nothing is known of its errors.`,
    { data: { server: id } },
  );
}

const knownOptions = {
  id: true,
  files: true,
  languageId: true,
  connect: true,
  initializationOptions: true,
} satisfies Record<keyof PortLanguageServerOptions, true>;
