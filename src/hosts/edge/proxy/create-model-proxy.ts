// A proxy between agents (in pages and in objects) and a server of the Messages API. It holds the
// API key. It forwards only listed models and features, within the limits and the budget.
import { checkOptionNames } from '../../../core/check-option-names.ts';
import { untilAborted } from '../../../core/async/abort.ts';
import { createDeferred } from '../../../core/async/deferred.ts';
import { SdkError } from '../../../core/errors.ts';
import {
  judgeBetas,
  judgeBody,
  judgePath,
  type JudgedBody,
  type ModelLimits,
  type ModelPath,
  type ModelRefusal,
} from './judge-model-request.ts';
import type { ModelAccount } from './model-account.ts';
import { passStream } from './pass-stream.ts';
import { createUsageReader, type UsageReader } from './read-usage.ts';
import {
  createRequestGuard,
  mostSeconds,
  plainHeaders,
  readBody,
  startDeadline,
  type Deadline,
  type GuardOptions,
} from './request-guard.ts';

/** A gateway of Cloudflare's AI Gateway. */
export interface ModelGateway {
  /** The account's id. */
  readonly account: string;
  /** The gateway's name. */
  readonly id: string;
  /** Sent as `cf-aig-authorization`, which a gateway with authentication requires. */
  readonly token?: string;
}

/** The options of a model proxy. */
export interface ModelProxyOptions extends GuardOptions {
  /** The allowed models, each by its full id. */
  readonly models: readonly string[];
  /**
   * The server's key, sent as `x-api-key`. With `gateway` it may be left out, because the gateway
   * has its own key. It never appears in an answer, an error or a log.
   */
  readonly apiKey?: string;
  /** Sends requests through this gateway. @defaultValue none */
  readonly gateway?: ModelGateway;
  /**
   * Another server than the API's own; can't be combined with `gateway`. @defaultValue
   * `https://api.anthropic.com`
   */
  readonly baseURL?: string;
  /** The path that the proxy is served at; also a client's `baseURL`. @defaultValue `/` */
  readonly path?: string;
  /** The API paths that are served. @defaultValue all three known paths */
  readonly paths?: readonly ModelPath[];
  /** The allowed values of `anthropic-beta`. @defaultValue none */
  readonly betas?: readonly string[];
  /**
   * The allowed types of server tools, such as `web_search_20250305`. Budgets don't include what
   * they cost in addition to tokens. @defaultValue none
   */
  readonly toolTypes?: readonly string[];
  /** The largest allowed `max_tokens`; requests with more are refused. @defaultValue 64000 */
  readonly maxTokens?: number;
  /**
   * The size limit of a request's body. @defaultValue 16 MB: an isolate has 128 MB, and holds a
   * body three times
   */
  readonly maxRequestBytes?: number;
  /** The most images in a request. @defaultValue 100 */
  readonly maxImages?: number;
  /** The size limit of one image. @defaultValue 5 MB */
  readonly maxImageBytes?: number;
  /** The time limit from the request to the end of the answer. @defaultValue 600 */
  readonly maxSeconds?: number;
  /** The account that keeps the budget. @defaultValue none */
  readonly account?: ModelAccount;
  /** Sends the requests. @defaultValue the global `fetch` */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/**
 * A server's `fetch`: it answers every request and never rejects. A Worker's context is kept alive
 * until the usage of a request is reported to the account.
 */
export type ModelProxyHandler = (
  request: Request,
  env?: unknown,
  context?: { waitUntil(promise: Promise<unknown>): void },
) => Promise<Response>;

const allPaths = ['/v1/messages', '/v1/messages/count_tokens', '/v1/models'] as const;
const megabyte = 1_048_576;
// 64 kB for the server's error answers, which are a sentence in JSON.
const maxSaidBytes = 65_536;
// 10 s for the account's answer to a settlement, because the client's end of the answer waits for
// it.
const settleMs = 10_000;
const passedHeaders = ['content-type', 'request-id', 'retry-after', 'x-should-retry'];

/**
 * Creates the `fetch` handler of a model proxy. Nothing is logged, stored or cached. The answer is
 * forwarded unchanged. If the client disconnects, the request to the server is aborted; if the
 * server disconnects, the answer ends.
 *
 * Security: every caller spends your money, up to the limits and the account's budget.
 *
 * @example
 * ```ts
 * import { createModelProxy } from 'rockpool/edge';
 *
 * const proxy = createModelProxy({
 *   path: '/anthropic',
 *   apiKey: env.ANTHROPIC_API_KEY,
 *   models: ['claude-sonnet-5'],
 *   authenticate: (request) => userOfCookie(request),
 * });
 * export default { fetch: proxy };
 * ```
 *
 * @throws SdkError `bad-usage` for invalid options
 */
export function createModelProxy(options: ModelProxyOptions): ModelProxyHandler {
  checkOptionNames('createModelProxy', options, knownOptions);
  const guard = createRequestGuard(options);
  const server = toServer(options);
  const limits = toLimits(options);
  const maxBytes = checkLimit('maxRequestBytes', options.maxRequestBytes ?? 16 * megabyte);
  const maxSeconds = checkLimit('maxSeconds', options.maxSeconds ?? 600);
  if (maxSeconds > mostSeconds) throw misuse(`takes at most ${mostSeconds} as \`maxSeconds\``);
  const { account } = options;
  const send = options.fetch ?? ((url: string, init: RequestInit) => fetch(url, init));
  const prefix = (options.path ?? '/').replace(/\/+$/u, '');

  return async (request, _env, context) => {
    const answer = await handle(request, context).catch(() =>
      refuse(failed('This proxy failed. Try again.', 500)),
    );
    return guard.allowOrigin(answer, request, passedHeaders);
  };

  async function handle(request: Request, context: Context): Promise<Response> {
    if (guard.isForeign(request)) {
      return refuse(forbidden('Pages of this origin may not use this proxy.'));
    }
    if (request.method === 'OPTIONS') return new Response(null, { status: 204 });
    const url = new URL(request.url);
    // Requests outside the proxy's own path get 404, whatever they are.
    const isBelow = url.pathname.startsWith(`${prefix}/`);
    const path = isBelow ? url.pathname.slice(prefix.length) : url.pathname;
    const judged = judgePath(request.method, path, url.search, isBelow ? limits : nowhere);
    if ('reason' in judged) return refuse(judged);
    const admitted = await guard.admit(request);
    if ('reason' in admitted) {
      const { status, reason } = admitted;
      return refuse({ status, type: typesByStatus[status], reason });
    }
    const beta = judgeBetas(request.headers.get('anthropic-beta'), limits.betas);
    if (beta) return refuse(beta);
    const target = `${server.url}${path}${url.search}`;
    const deadline = startDeadline(maxSeconds);
    const sent =
      judged.path === '/v1/models'
        ? undefined
        : await prepare(request, judged.path, admitted.asker, deadline.signal);
    if (!sent || 'text' in sent) return forward(request, target, sent, { context, deadline });
    deadline[Symbol.dispose]();
    return refuse(sent);
  }

  /** Reads and checks the body, and reserves its maximal cost. */
  async function prepare(
    request: Request,
    path: ModelPath,
    asker: string,
    signal: AbortSignal,
  ): Promise<Sent | ModelRefusal> {
    const body = await judgeBodyOf(request, path, signal);
    if ('reason' in body) return body;
    const { text, model, inputTokens, maxTokens } = body;
    if (!account || maxTokens === 0) return { text, charge: { model, inputTokens } };
    const ask = async () => account.reserve({ asker, model, inputTokens, maxTokens });
    const reserving = ask();
    const reserved = await untilAborted(reserving, signal).catch(() => undefined);
    if (!reserved) {
      const giveBack = (late: Awaited<typeof reserving>) =>
        'id' in late
          ? settle({ model, inputTokens, account, asker, id: late.id }, unused)
          : undefined;
      reserving.then(giveBack).catch(() => undefined);
      return failed('The budget could not be asked. Try again.', 503);
    }
    if ('refused' in reserved) {
      return { status: 402, type: 'billing_error', reason: reserved.refused };
    }
    return { text, charge: { model, inputTokens, account, asker, id: reserved.id } };
  }

  async function judgeBodyOf(
    request: Request,
    path: ModelPath,
    signal: AbortSignal,
  ): Promise<JudgedBody | ModelRefusal> {
    const bytes = await readBody(request, maxBytes, signal).catch(() => 'cut' as const);
    if (bytes === 'cut') {
      const reason = signal.aborted
        ? `The request did not arrive within ${maxSeconds} s.`
        : 'The request broke off.';
      return { status: 408, type: 'invalid_request_error', reason };
    }
    if (bytes === 'too large') {
      const reason = `The request is too large: this proxy allows ${maxBytes} bytes.`;
      return { status: 413, type: 'request_too_large', reason };
    }
    return judgeBody(bytes ?? new Uint8Array(), path, limits);
  }

  /** Sends the request. Its reservation is settled exactly once, whatever happens. */
  async function forward(
    request: Request,
    target: string,
    sent: Sent | undefined,
    { context, deadline }: { readonly context: Context; readonly deadline: Deadline },
  ): Promise<Response> {
    // Nothing here may keep the request's text until the answer ends: an isolate has memory for
    // only a few.
    const charge = sent?.charge;
    const controller = new AbortController();
    const leave = () => controller.abort();
    const ends = [request.signal, deadline.signal].filter((signal) => signal !== undefined);
    for (const signal of ends) signal.addEventListener('abort', leave);
    if (ends.some((signal) => signal.aborted)) leave();
    const { promise: settled, resolve: tellSettled } = createDeferred();
    if (charge?.account) context?.waitUntil(settled);
    const finish = async (used: ReturnType<UsageReader['read']>): Promise<void> => {
      deadline[Symbol.dispose]();
      for (const signal of ends) signal.removeEventListener('abort', leave);
      const settling = settle(charge, used).then(tellSettled);
      await withinMs(settling, settleMs);
    };
    const init = {
      method: request.method,
      headers: toHeaders(request.headers, sent !== undefined),
      redirect: 'manual' as const,
      signal: controller.signal,
      ...(sent && { body: sent.text }),
    };
    const response = await send(target, init).catch(() => undefined);
    if (!response) {
      // A client that has left may have been charged for the input. An unreachable server charges
      // nothing.
      const isCharged = controller.signal.aborted && charge !== undefined;
      const input_tokens = isCharged ? charge.inputTokens : 0;
      await finish({ usage: { input_tokens, output_tokens: 0 }, isEstimated: isCharged });
      return refuse(
        deadline.signal.aborted
          ? failed(`The model's server did not answer within ${maxSeconds} s.`, 504)
          : failed("The model's server cannot be reached. Try again.", 502),
      );
    }
    if (response.status !== 200 || !response.body) {
      const answer = await passRefusal(response, server.secrets);
      await finish(unused);
      return answer;
    }
    const type = response.headers.get('content-type') ?? '';
    const isStream = type.startsWith('text/event-stream');
    if (!isStream && !type.startsWith('application/json')) {
      controller.abort();
      await finish(unused);
      return refuse(failed('The server behind this proxy does not speak the Messages API.', 502));
    }
    const reader = createUsageReader(isStream, charge?.inputTokens ?? 0);
    const body = passStream(response.body as ReadableStream<Uint8Array>, {
      onChunk: (chunk) => reader.push(chunk),
      async onEnd(end) {
        if (end === 'left') controller.abort();
        await finish(reader.read());
      },
    });
    return new Response(body, {
      status: 200,
      headers: passHeaders(response.headers, server.secrets),
    });
  }

  function toHeaders(given: Headers, hasBody: boolean): Headers {
    const headers = new Headers(server.headers);
    headers.set('anthropic-version', given.get('anthropic-version') ?? '2023-06-01');
    if (hasBody) headers.set('content-type', 'application/json');
    const beta = given.get('anthropic-beta');
    if (beta !== null) headers.set('anthropic-beta', beta);
    return headers;
  }
}

type Context = Parameters<ModelProxyHandler>[2];

interface Sent {
  readonly text: string;
  readonly charge: Charge;
}

/** The reservation that is settled at the end. */
interface Charge {
  readonly model: string;
  readonly inputTokens: number;
  readonly account?: ModelAccount;
  readonly asker?: string;
  readonly id?: string;
}

const nowhere = { paths: [], models: [] };
const unused = { usage: { input_tokens: 0, output_tokens: 0 }, isEstimated: false };

/** Resolves when `work` does, which must not reject, or after so many milliseconds. */
function withinMs(work: Promise<void>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    void work.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** An account that can't be told keeps what was reserved as spent. Never rejects. */
async function settle(
  charge: Charge | undefined,
  used: ReturnType<UsageReader['read']>,
): Promise<void> {
  if (!charge?.account || charge.asker === undefined || charge.id === undefined) return;
  const { account, asker, id, model } = charge;
  const tell = async () => account.settle({ asker, id, model, ...used });
  await tell().catch(() => undefined);
}

interface ModelServer {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

function toServer({ apiKey, gateway, baseURL }: ModelProxyOptions): ModelServer {
  if (apiKey === undefined && !gateway) throw misuse('needs `apiKey`, or a `gateway` that has one');
  if (apiKey !== undefined) checkSecret('apiKey', apiKey);
  if (gateway?.token !== undefined) checkSecret('gateway.token', gateway.token);
  if (gateway && baseURL !== undefined) throw misuse('takes `gateway` or `baseURL`, not both');
  const url = gateway ? toGatewayUrl(gateway) : (baseURL ?? 'https://api.anthropic.com');
  if (!URL.canParse(url)) throw misuse('needs a whole address as `baseURL`');
  return {
    url: url.replace(/\/+$/u, ''),
    headers: {
      'user-agent': 'rockpool-model-proxy',
      // The bytes are forwarded unchanged, so they must not be compressed.
      'accept-encoding': 'identity',
      ...(apiKey !== undefined && { 'x-api-key': apiKey }),
      ...(gateway?.token !== undefined && { 'cf-aig-authorization': `Bearer ${gateway.token}` }),
    },
    secrets: [apiKey, gateway?.token].filter((secret) => secret !== undefined),
  };
}

function toGatewayUrl({ account, id }: ModelGateway): string {
  if (!/^[\w-]+$/u.test(account) || !/^[\w-]+$/u.test(id)) {
    throw misuse("needs the account's id and the gateway's name in `gateway`");
  }
  return `https://gateway.ai.cloudflare.com/v1/${account}/${id}/anthropic`;
}

function toLimits(options: ModelProxyOptions): ModelLimits {
  const { models, paths = allPaths, betas = [], toolTypes = [] } = options;
  if (!Array.isArray(models) || models.length === 0 || models.includes('*')) {
    throw misuse('needs `models`: those that may be asked for, each by its id');
  }
  return {
    models,
    paths,
    betas,
    toolTypes,
    maxTokens: checkLimit('maxTokens', options.maxTokens ?? 64_000),
    maxImages: checkLimit('maxImages', options.maxImages ?? 100),
    maxImageBytes: checkLimit('maxImageBytes', options.maxImageBytes ?? 5 * megabyte),
    hasBudget: options.account !== undefined,
  };
}

function checkLimit(name: string, value: number): number {
  if (!(value >= 0)) throw misuse(`needs a number as \`${name}\``);
  return value;
}

/** Security: the message never contains the value. */
function checkSecret(name: string, value: string): void {
  if (typeof value !== 'string' || !/^[\x21-\x7e]+$/u.test(value)) {
    throw misuse(
      `needs \`${name}\` without blanks and line breaks, and not empty: look at its binding`,
    );
  }
}

function misuse(what: string): SdkError {
  return new SdkError('bad-usage', `A model proxy ${what}.`);
}

const typesByStatus = {
  401: 'authentication_error',
  429: 'rate_limit_error',
  500: 'api_error',
} as const;

function forbidden(reason: string): ModelRefusal {
  return { status: 403, type: 'permission_error', reason };
}

function failed(reason: string, status: number): ModelRefusal {
  return { status, type: 'api_error', reason };
}

function refuse({ status, type, reason, allow }: ModelRefusal): Response {
  const body = JSON.stringify({ type: 'error', error: { type, message: reason } });
  const headers: Record<string, string> = { ...plainHeaders, 'content-type': 'application/json' };
  if (allow !== undefined) headers['allow'] = allow;
  if (status === 429) headers['retry-after'] = '60';
  return new Response(body, { status, headers });
}

function passHeaders(given: Headers, secrets: readonly string[]): Headers {
  const headers = new Headers(plainHeaders);
  for (const name of passedHeaders) {
    const value = given.get(name);
    if (value !== null && !secrets.some((secret) => value.includes(secret))) {
      headers.set(name, value);
    }
  }
  return headers;
}

/**
 * Forwards the server's error message, without the secrets. An answer that isn't JSON is replaced
 * by our own message.
 */
async function passRefusal(response: Response, secrets: readonly string[]): Promise<Response> {
  const { status } = response;
  const said = await readSome(response);
  if (status === 401 || status === 403) {
    // The error is about the proxy's key, so neither the client nor a retry can fix it.
    const answer = refuse(
      failed(
        `The model's server refused this proxy's own key (${status}). Tell its operator.`,
        502,
      ),
    );
    answer.headers.set('x-should-retry', 'false');
    return answer;
  }
  const plain = toPlainJson(said);
  if (status < 400 || plain === undefined) {
    return refuse(
      failed(`The model's server answered with ${status}.`, status < 400 ? 502 : status),
    );
  }
  const text = secrets.reduce(
    (hidden, secret) => hidden.replaceAll(JSON.stringify(secret).slice(1, -1), '[hidden]'),
    plain,
  );
  const headers = passHeaders(response.headers, secrets);
  headers.set('content-type', 'application/json');
  return new Response(text, { status, headers });
}

/** Security: normalizes JSON escapes, so that a secret can be found in the text. */
function toPlainJson(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return undefined;
  }
}

async function readSome(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  if (!response.body) return text;
  try {
    for await (const part of response.body as ReadableStream<Uint8Array>) {
      text += decoder.decode(part, { stream: true });
      if (text.length > maxSaidBytes) break;
    }
  } catch {
    // The answer broke off, so it is incomplete and no valid JSON.
  }
  return text;
}

const knownOptions = {
  models: true,
  apiKey: true,
  gateway: true,
  baseURL: true,
  path: true,
  paths: true,
  betas: true,
  toolTypes: true,
  maxTokens: true,
  maxRequestBytes: true,
  maxImages: true,
  maxImageBytes: true,
  maxSeconds: true,
  account: true,
  fetch: true,
  authenticate: true,
  origins: true,
  requestsPerMinute: true,
  rate: true,
  now: true,
} satisfies Record<keyof ModelProxyOptions, true>;
