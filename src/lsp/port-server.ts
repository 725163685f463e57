// A language server behind a message port or a worker. It uses JSON-RPC with one message per event,
// like browser builds of servers. Each request sends the call's text of the file, so that the
// answer refers to that text.
import { checkOptionNames } from '../core/check-option-names.ts';
import { createAbortError, throwIfAborted, untilAborted } from '../core/async/abort.ts';
import { inTime } from '../core/async/in-time.ts';
import { SdkError } from '../core/errors.ts';
import { isRecord } from '../core/values/is-record.ts';
import { parseJson } from '../core/text/parse-json.ts';
import { fromUri, toUri } from './file-uri.ts';
import type {
  LanguageMethod,
  LanguageParams,
  LanguageRequestOptions,
  LanguageServer,
  LspDiagnostic,
} from './language-server.ts';

/** A message channel that delivers asynchronously: a `MessagePort`, or a dedicated `Worker`. */
export interface LanguagePort {
  postMessage(message: unknown): void;
  /** `error`: a `Worker` has failed. `close`: the other side of a `MessagePort` is gone. */
  addEventListener(
    type: 'message' | 'error' | 'close',
    listener: (event: { readonly data?: unknown }) => void,
  ): void;
  /** Only a `MessagePort` has it. */
  start?(): void;
  /** Only a `MessagePort` has it. */
  close?(): void;
  /** Only a `Worker` has it. */
  terminate?(): void;
}

/** The server, and how to connect to it. */
export interface PortLanguageServerOptions {
  /** Its name for the model: `python`. */
  readonly id: string;
  /** Globs of the supported files: `['*.py']`. */
  readonly files: readonly string[];
  /** The protocol's id of their language: `python`. */
  readonly languageId: string;
  /** Called with the first request, and again after `release`. The server closes the result. */
  readonly connect: () => LanguagePort | Promise<LanguagePort>;
  /** The protocol's `initializationOptions`. */
  readonly initializationOptions?: unknown;
}

// 10 s: the wait for published diagnostics. A server publishes none for a text that it hasn't
// checked.
const publishMs = 10_000;
// The longest time of a timer.
const maxTimerMs = 2 ** 31 - 1;

interface Connection {
  readonly port: LanguagePort;
  readonly capabilities: Readonly<Record<string, unknown>>;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** The server's version of a document. */
interface OpenText {
  version: number;
  text: string;
}

/**
 * Connects your own server. It gets only the texts of the requested files. If it reads other files
 * of the workspace, its host must provide them in the same version. Requests are sent one at a
 * time.
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
    // Some servers send their messages as texts, and others also what they log, which is no JSON.
    const message = typeof data === 'string' ? parseJson(data) : data;
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

  /** Answers the server's requests, such as for settings, of which there are none. */
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

  /** Sends the call's text to the server. Gives the version number in its diagnostics. */
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
      // By then the next request may have begun another connection.
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
    // The server publishes nothing for a text that it has already checked, so the document is
    // closed first.
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
      // A server without an answer by then counts as dead, and is closed.
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

/**
 * The server's capability for each method. A missing capability means that the method isn't
 * supported.
 */
const providers: Readonly<Record<LanguageMethod, string | undefined>> = {
  // If diagnostics can't be requested, the server publishes them.
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
