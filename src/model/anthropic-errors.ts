// Converts failures of a Messages server to SdkErrors that say what to do. The model of
// anthropic.ts throws no other errors. Security: no message and no data may contain the key or a
// header's value, even if a server or proxy echoes them.
import { SdkError } from '../core/errors.ts';
import { isRecord } from '../core/values/is-record.ts';
import type { ModelErrorCode } from '../core/errors.ts';

/** The server of the request, for the sentence, and the secrets that must not be repeated in it. */
export interface ServerContext {
  readonly host: string;
  readonly model: string;
  readonly hasCredential: boolean;
  /** The key, the token, the headers' values. */
  readonly secrets: readonly string[];
}

/** A refusal by the server: a status with its body, or an error event within a stream (status null). */
export interface Refusal {
  readonly status: number | null;
  /** The parsed body, or its text if it isn't JSON. */
  readonly body: unknown;
  readonly headers?: Headers | undefined;
}

/** The server's refusal as an error: by status if there is one, otherwise by the error's type. */
export function toRefusedError(refusal: Refusal, server: ServerContext): SdkError {
  const { status, headers } = refusal;
  const { type, message } = describeBody(refusal.body);
  const code = codeOf(status, type, message);
  const sign = status === null ? type : String(status);
  const said = message === '' ? '' : ` The server says: ${hideSecrets(message, server)}`;
  const retryAfterMs = readRetryAfter(headers);
  const requestId = headers?.get('request-id');
  const sentence = isTooMuch(status, message) ? describeTooMuch : sentences[code];
  return new SdkError(code, `${sentence(server, sign, retryAfterMs)}${said}`, {
    data: {
      host: server.host,
      ...(status !== null && { status }),
      ...(type !== '' && { type: hideSecrets(type, server) }),
      ...(requestId && { requestId }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(headers?.get('x-should-retry') === 'false' && { retryable: false }),
    },
  });
}

/**
 * The error for a request without an answer. Browsers hide the reason from scripts, so the message
 * lists all likely reasons.
 */
export function toNetworkError(error: unknown, server: ServerContext): SdkError {
  const { host } = server;
  if (globalThis.navigator?.onLine === false) {
    return new SdkError(
      'model-network',
      `This device is offline: ${host} can't be reached. Go online and send the message again.`,
      { data: { host } },
    );
  }
  const reason = hideSecrets(reasonOf(error), server);
  return new SdkError(
    'model-network',
    `${host} can't be reached (${reason}). Check the network and the base URL; in a page also that ` +
      `the server allows this origin (CORS) and that the page's CSP lists it under connect-src.`,
    { data: { host, reason } },
  );
}

/** The error for a connection that ended, or fell silent, within the answer. */
export function toCutError(server: ServerContext, how: string): SdkError {
  return new SdkError(
    'model-stream-cut',
    `The reply of ${server.host} broke off before it was complete (${hideSecrets(how, server)}). ` +
      'Nothing unfinished was run: check the network and send the message again.',
    { data: { host: server.host } },
  );
}

/** The error for an answer that isn't the Messages API's. */
export function toProtocolError(server: ServerContext, what: string): SdkError {
  return new SdkError(
    'model-protocol',
    `${server.host} doesn't answer as a Messages API does: ${hideSecrets(what, server)}. Check the ` +
      'base URL: /v1/messages is added to it.',
    { data: { host: server.host } },
  );
}

type Sentence = (server: ServerContext, sign: string, retryAfterMs: number | undefined) => string;

/** `model-max-tokens` is the agent's own code: no server sends it. */
type ServerErrorCode = Exclude<ModelErrorCode, 'model-max-tokens'>;

const sentences: Readonly<Record<ServerErrorCode, Sentence>> = {
  'model-authentication': ({ host, hasCredential }, sign) =>
    hasCredential
      ? `The key was refused by ${host} (${sign}). Check that it is whole, that it is this server's, ` +
        'and that it is neither revoked nor lacking a permission.'
      : `${host} asks for a key (${sign}), and none was sent. Give one, or use a proxy that holds it.`,
  'model-bad-request': ({ host, model }, sign) =>
    sign === '404'
      ? `${host} knows no such address or model (404). Check the base URL and the model's name, ${model}.`
      : `${host} refused the request (${sign}). Sending it again unchanged won't help.`,
  'model-context-window': ({ host, model }, sign) =>
    `${host} refused the request (${sign}): the conversation is longer than the context window of ${model}. Begin a new one, or use a model with a larger window.`,
  'model-rate-limited': ({ host }, sign, retryAfterMs) =>
    `${host} has had too many requests (${sign}). ${tryAgain(retryAfterMs)}`,
  'model-overloaded': ({ host }, sign, retryAfterMs) =>
    `${host} is overloaded (${sign}). ${tryAgain(retryAfterMs)}`,
  'model-server': ({ host }, sign, retryAfterMs) =>
    `${host} failed (${sign}). ${tryAgain(retryAfterMs)}`,
  'model-network': ({ host }) => `${host} can't be reached.`,
  'model-protocol': ({ host }) => `${host} doesn't answer as a Messages API does.`,
  'model-stream-cut': ({ host }) => `The reply of ${host} broke off.`,
};

const describeTooMuch: Sentence = ({ host }, sign) =>
  `${host} refused the request (${sign}): the conversation has more bytes or images than one request may have. Begin a new one, or send fewer and smaller images.`;

function tryAgain(retryAfterMs: number | undefined): string {
  if (retryAfterMs === undefined) return 'Try again in a while.';
  return `Try again in ${Math.ceil(retryAfterMs / 1000)} s.`;
}

/**
 * The API has no error type for a request that is too long. The second pattern is for models before
 * Claude Sonnet 4.5, and those after it for other servers.
 */
const tooLong =
  /^prompt is too long\b|\binput length and `?max_tokens`? exceed|\binput is too long\b|\bmaximum context length\b/iu;

/**
 * Too many images or pages of documents. The last pattern is that of the proxy of `rockpool/edge`.
 */
const tooMuchMedia =
  /\btoo much media\b|\bmany-image requests\b|\bmaximum of \d+ PDF pages\b|\ballows \d+ images in a request\b/iu;

function isTooMuch(status: number | null, message: string): boolean {
  return status === 413 || (status === 400 && tooMuchMedia.test(message));
}

function codeOf(status: number | null, type: string, message: string): ServerErrorCode {
  if (type === 'overloaded_error' || status === 529) return 'model-overloaded';
  const isRefused = type === 'invalid_request_error' || status === 400;
  // In all of these cases a shorter conversation helps.
  if ((isRefused && tooLong.test(message)) || isTooMuch(status, message)) {
    return 'model-context-window';
  }
  if (status === null) return codesByType[type] ?? 'model-server';
  if (status === 401 || status === 403) return 'model-authentication';
  if (status === 429) return 'model-rate-limited';
  // 408 and 409 (a timeout, a lock) are temporary, like the server's own failures.
  if (status >= 500 || status === 408 || status === 409) return 'model-server';
  return 'model-bad-request';
}

const codesByType: Readonly<Record<string, ServerErrorCode>> = {
  authentication_error: 'model-authentication',
  permission_error: 'model-authentication',
  invalid_request_error: 'model-bad-request',
  not_found_error: 'model-bad-request',
  request_too_large: 'model-context-window',
  rate_limit_error: 'model-rate-limited',
};

/** The error's type and sentence in an API body `{ error: { type, message } }`, or the body's text. */
function describeBody(body: unknown): { readonly type: string; readonly message: string } {
  if (typeof body === 'string') {
    return { type: '', message: /^\s*</.test(body) ? 'a web page.' : shorten(body.trim()) };
  }
  const error = isRecord(body) ? (body['error'] ?? body) : undefined;
  if (typeof error === 'string') return { type: '', message: shorten(error) };
  if (!isRecord(error)) return { type: '', message: '' };
  const { type, message } = error;
  return {
    type: typeof type === 'string' ? type : '',
    message: typeof message === 'string' ? shorten(message) : '',
  };
}

/** Parses seconds or a date, as in HTTP. Gives milliseconds from now. */
function readRetryAfter(headers: Headers | undefined): number | undefined {
  const value = headers?.get('retry-after');
  if (!value) return undefined;
  const seconds = Number(value);
  const delayMs = Number.isNaN(seconds) ? Date.parse(value) - Date.now() : seconds * 1000;
  return delayMs >= 0 ? Math.round(delayMs) : undefined;
}

/** The innermost reason: Node's fetch says only "fetch failed", and the reason is in its cause. */
function reasonOf(error: unknown): string {
  let inner = error;
  while (isRecord(inner) && isRecord(inner['cause'])) inner = inner['cause'];
  if (!isRecord(inner)) return String(inner);
  const { code, message } = inner;
  return String(code || message || 'no reason given');
}

function hideSecrets(text: string, server: ServerContext): string {
  return server.secrets.reduce((hidden, secret) => hidden.replaceAll(secret, '[hidden]'), text);
}

// 1000 characters: enough for an API's sentence, and not for a whole web page.
function shorten(text: string): string {
  return text.length <= 1000 ? text : `${text.slice(0, 1000)} …`;
}
