// The core of the proxies for pages whose servers send no CORS headers. Each kind of proxy decides
// which requests it knows. This file implements the rest for all kinds: authentication, rate, size
// and allowed hosts.
import { compileHostRules, type HostRules } from '../../../core/access/network-hosts.ts';
import { SdkError } from '../../../core/errors.ts';
import {
  createRequestGuard,
  mostSeconds,
  plainHeaders,
  readBody,
  startDeadline,
  type GuardOptions,
} from './request-guard.ts';

/** The options of every kind of proxy for pages. */
export interface ProxyOptions extends GuardOptions {
  /**
   * The servers that may be reached, named as in `Repl(net:…)`: `github.com`, `*.example.com` (its
   * subdomains), `git.example.com:8443`. All are reached by https, unless one begins with
   * `http://`.
   */
  readonly hosts: readonly string[];
  /**
   * Returns the caller's name, by which requests are counted, or null to refuse. Use a cookie or a
   * header of your own, because `authorization` is forwarded to the server.
   */
  authenticate(request: Request): Promise<string | null> | string | null;
  /** The path that the proxy is served at. @defaultValue `/` */
  readonly path?: string;
  /**
   * The size limit of a request's body in bytes. A git push is streamed. Every other body is held
   * whole, twice, in an isolate of 128 MB. @defaultValue 100 MB for git, 16 MB for MCP
   */
  readonly maxRequestBytes?: number;
  /** The size limit of a response's body in bytes. @defaultValue 1 GiB */
  readonly maxResponseBytes?: number;
  /**
   * The time limit until the answer begins, including the time to receive the request.
   * @defaultValue 600
   */
  readonly maxSeconds?: number;
  /** Sends the requests. @defaultValue the global `fetch` */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** The names of the options of every kind, for their check. */
export const knownProxyOptions = {
  hosts: true,
  authenticate: true,
  path: true,
  maxRequestBytes: true,
  maxResponseBytes: true,
  maxSeconds: true,
  fetch: true,
  origins: true,
  requestsPerMinute: true,
  rate: true,
  now: true,
} satisfies Record<keyof ProxyOptions, true>;

/** A request that a kind of proxy knows. */
export interface KnownRequest {
  /** The request headers to forward. */
  readonly headers: readonly string[];
  /**
   * The content types that the answer may have. Security: an answer of another type may be a page
   * with scripts.
   */
  readonly types: RegExp;
  /**
   * Whether a large body is streamed. Such a request can't follow redirects, because its body can't
   * be sent twice.
   */
  readonly isLarge?: true;
  /** Whether a redirect to a listed host is followed. If not, the answer names its target. */
  readonly followsRedirects: boolean;
  /**
   * Answers of every status are forwarded, with these headers. Left out: only answers of status
   * 200, without headers.
   */
  readonly answers?: readonly string[];
  /** The `user-agent` header for the server. @defaultValue `git/2 (rockpool)` */
  readonly agent?: string;
  /**
   * The page is for a reader: every answer is forwarded. `x-web-status` has its status and
   * `x-web-location` its redirect target, because a page can't see these of other origins. Content
   * types and statuses aren't checked then.
   */
  readonly isForReader?: true;
}

/** @returns the properties of a known request, or undefined to refuse it */
export type KnowRequest = (
  method: string,
  target: URL,
  headers: Headers,
) => KnownRequest | undefined;

/** A server's `fetch`: it answers every request and never rejects. */
export type ProxyHandler = (request: Request) => Promise<Response>;

// 16 MB, because the body is held in memory, for a moment twice.
const defaultRequestBytes = 16_777_216;
// 1 MB: git sends a shorter body with its length, which some servers require, and streams a longer
// one.
const heldBytes = 1_048_576;
const defaultResponseBytes = 1_073_741_824;
// An archive's address redirects to another host in one or two steps.
const maxRedirects = 3;
// As much of a server's error message as a person reads.
const maxSaidBytes = 500;

/**
 * Creates the handler. Nothing is logged, stored or cached. Cookies are forwarded in neither
 * direction.
 *
 * @throws SdkError `bad-usage` if `hosts` is empty or allows all hosts, or a time limit is too long
 * for a timer
 */
export function createProxy(options: ProxyOptions, know: KnowRequest): ProxyHandler {
  const judge = compileList(options.hosts);
  const guard = createRequestGuard(options);
  const { maxRequestBytes = defaultRequestBytes, maxSeconds = 600 } = options;
  const { maxResponseBytes = defaultResponseBytes } = options;
  if (!(maxSeconds >= 0 && maxSeconds <= mostSeconds)) {
    throw new SdkError('bad-usage', `A proxy takes 0 to ${mostSeconds} as \`maxSeconds\`.`);
  }
  return async (request) => {
    const answer = await handle(request).catch(() => refuse(502, 'The server cannot be reached.'));
    return guard.allowOrigin(answer, request, ['x-git-location', ...exposedOf(answer)]);
  };

  async function handle(request: Request): Promise<Response> {
    if (guard.isForeign(request)) {
      return refuse(403, 'Pages of this origin may not use this proxy.');
    }
    if (request.method === 'OPTIONS') return new Response(null, { status: 204 });
    const target = toTarget(request, options.path ?? '/', judge);
    if (!target) return refuse(403, 'This proxy does not reach that address.');
    const known = know(request.method, target, request.headers);
    if (!known) return refuse(403, 'This proxy does not make such a request.');
    const admitted = await guard.admit(request);
    if ('reason' in admitted) {
      // Not 401, which would seem to come from the target server, and not 407, which `fetch` hides.
      return refuse(admitted.status === 401 ? 403 : admitted.status, admitted.reason);
    }
    const deadline = startDeadline(maxSeconds);
    try {
      return await exchange(request, target, known, deadline.signal);
    } finally {
      deadline[Symbol.dispose]();
    }
  }

  /** Sends the request. Answers with the reason if something fails. */
  async function exchange(
    request: Request,
    target: URL,
    known: KnownRequest,
    late: AbortSignal,
  ): Promise<Response> {
    const body = createBody(request, known.isLarge ? heldBytes : Infinity, maxRequestBytes);
    try {
      return await forward(request, target, known, { content: await body.take(late), late });
    } catch {
      if (body.state === 'too large')
        return refuse(413, 'The request is too large for this proxy.');
      if (!late.aborted) return refuse(502, 'The server cannot be reached.');
      return body.state === 'arrived'
        ? refuse(504, `The server did not answer within ${maxSeconds} s.`)
        : refuse(408, `The request did not arrive within ${maxSeconds} s.`);
    }
  }

  async function forward(
    request: Request,
    first: URL,
    known: KnownRequest,
    { content, late }: { readonly content: BodyInit | undefined; readonly late: AbortSignal },
  ): Promise<Response> {
    const send = options.fetch ?? ((url: string, init: RequestInit) => fetch(url, init));
    const ends = [request.signal, late].filter((signal) => signal !== undefined);
    const signal = AbortSignal.any(ends);
    let target = first;
    for (let step = 0; ; step += 1) {
      const init: RequestInit & { duplex?: 'half' } = {
        method: request.method,
        headers: pickHeaders(request.headers, known, target.origin === first.origin),
        redirect: 'manual',
        signal,
        ...(content !== undefined && { body: content }),
        // `fetch` requires this for a streamed body.
        ...(content instanceof ReadableStream && { duplex: 'half' }),
      };
      const response = await send(target.href, init);
      if (known.isForReader) return passToReader(response, maxResponseBytes);
      const next = redirectOf(response, target);
      if (!next) return await pass(response, known, maxResponseBytes);
      await response.body?.cancel();
      if (next === 'nowhere' || !judge(next)) {
        return refuse(502, 'The server answered by a redirect that this proxy does not follow.');
      }
      if (!known.followsRedirects || step === maxRedirects) {
        // A page can't see the target of a redirect, so the answer names it.
        const answer = refuse(502, 'The server answered by a redirect.');
        answer.headers.set('x-git-location', next.origin + next.pathname);
        return answer;
      }
      target = next;
    }
  }
}

interface RequestBody {
  /** Whether the body is still arriving, has arrived, or is too large to be held. */
  readonly state: 'coming' | 'arrived' | 'too large';
  /** The whole body, or a stream if it is too large to be held; undefined if there is none. */
  take(late: AbortSignal): Promise<BodyInit | undefined>;
}

function createBody(request: Request, heldBytes: number, limit: number): RequestBody {
  let state: RequestBody['state'] = 'coming';
  // A body of unknown length may be large.
  const length = Number(request.headers.get('content-length') ?? Infinity);
  const isHeld = !(length > heldBytes);
  const tooLarge = () => {
    state = 'too large';
    return new TypeError('The request is too large.');
  };
  const arrived = () => void (state = 'arrived');
  return {
    get state() {
      return state;
    },
    async take(late) {
      if (!isHeld && request.body) {
        if (length !== Infinity && length > limit) throw tooLarge();
        return request.body.pipeThrough(limitBytes(limit, { tooLarge, arrived }));
      }
      const body = await readBody(request, limit, late);
      if (body === 'too large') throw tooLarge();
      arrived();
      return body;
    },
  };
}

function compileList(hosts: readonly string[]): (url: URL) => boolean {
  const named = hosts.map((host) => host.replace(/^https?:\/\//u, ''));
  if (hosts.length === 0 || named.some((host) => /^\*(?::\d+)?$/u.test(host))) {
    throw new SdkError(
      'bad-usage',
      'A proxy needs `hosts`: the servers that it may reach, each by name. "*" is not a list.',
    );
  }
  const list = (isOpen: boolean): HostRules =>
    compileHostRules(
      named.filter((_, at) => hosts[at]?.startsWith('http://') === isOpen),
      new Set(),
    );
  const [secure, open] = [list(false), list(true)];
  return (url) =>
    url.protocol === 'https:' ? secure.allows(url) : url.protocol === 'http:' && open.allows(url);
}

/** The server's address in the request's path, if it may be reached. */
function toTarget(request: Request, path: string, judge: (url: URL) => boolean): URL | undefined {
  const url = new URL(request.url);
  const prefix = path.endsWith('/') ? path : `${path}/`;
  if (!url.pathname.startsWith(prefix)) return undefined;
  const rest = url.pathname.slice(prefix.length) + url.search;
  for (const scheme of ['https', 'http']) {
    if (!URL.canParse(`${scheme}://${rest}`)) continue;
    const target = new URL(`${scheme}://${rest}`);
    const isPlain = target.username === '' && target.password === '' && target.hash === '';
    if (isPlain && judge(target)) return target;
  }
  return undefined;
}

/**
 * Security: forwards only the headers that the server needs, so it learns nothing about the caller.
 */
function pickHeaders(
  given: Headers,
  { headers: names, agent = 'git/2 (rockpool)' }: KnownRequest,
  isSameServer: boolean,
): Headers {
  const headers = new Headers({ 'user-agent': agent });
  for (const name of names) {
    const value = given.get(name);
    // Credentials are only for the server that they were given for.
    if (value !== null && (isSameServer || name !== 'authorization')) headers.set(name, value);
  }
  return headers;
}

function redirectOf(response: Response, from: URL): URL | 'nowhere' | undefined {
  if (response.status < 300 || response.status > 399) return undefined;
  const location = response.headers.get('location');
  return location !== null && URL.canParse(location, from) ? new URL(location, from) : 'nowhere';
}

/** Forwards the body of a known content type; of other answers at most a short plain text. */
async function pass(response: Response, known: KnownRequest, limit: number): Promise<Response> {
  const type = response.headers.get('content-type') ?? '';
  if (known.answers && (response.body === null || response.status === 202)) {
    // The body of a 202 answer has no reader.
    await response.body?.cancel();
    const accepted = new Response(null, { status: response.status, headers: plainHeaders });
    copyHeaders(response, accepted, known.answers);
    return accepted;
  }
  if (known.answers && known.types.test(type)) return passAny(response, known.answers, limit);
  // An error may have a text, and its headers may say what the server requires.
  if (known.answers && response.status >= 400) {
    const said = await readSome(response);
    const refused = refuse(response.status, said || 'The server refused.');
    copyHeaders(response, refused, known.answers);
    return refused;
  }
  if (response.status !== 200 || !known.types.test(type)) {
    const isText = type.startsWith('text/plain');
    const said = isText ? await readSome(response) : '';
    if (!isText) await response.body?.cancel();
    const status = response.status >= 400 ? response.status : 502;
    return refuse(status, said || 'The server answered with something else than was asked for.');
  }
  if (Number(response.headers.get('content-length') ?? 0) > limit) {
    await response.body?.cancel();
    return refuse(502, 'The answer of the server is too large for this proxy.');
  }
  return new Response(response.body?.pipeThrough(limitBytes(limit)) ?? null, {
    status: 200,
    headers: { ...plainHeaders, 'content-type': type, 'content-disposition': 'attachment' },
  });
}

function passAny(response: Response, names: readonly string[], limit: number): Response {
  const type = response.headers.get('content-type');
  const answer = new Response(response.body?.pipeThrough(limitBytes(limit)) ?? null, {
    status: response.status,
    headers: { ...plainHeaders, ...(type !== null && { 'content-type': type }) },
  });
  copyHeaders(response, answer, names);
  return answer;
}

/**
 * Security: the answer is a file without a type, so no browser shows it as a page of this origin.
 */
function passToReader(response: Response, limit: number): Response {
  const isEmpty = response.status >= 300 && response.status < 400;
  if (isEmpty) void response.body?.cancel();
  const body = isEmpty ? null : response.body;
  const answer = new Response(body?.pipeThrough(limitBytes(limit)) ?? null, {
    headers: {
      ...plainHeaders,
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment',
      'x-web-status': String(response.status),
    },
  });
  for (const name of ['content-type', 'location']) {
    const value = response.headers.get(name);
    if (value !== null) answer.headers.set(`x-web-${name}`, value);
  }
  return answer;
}

// Security: a browser would ask the user for a password of this origin and send it to the target
// server.
const asksForPassword = /(?:^|,)\s*(?:basic|digest|negotiate|ntlm)(?:[\s,]|$)/iu;

function copyHeaders(from: Response, to: Response, names: readonly string[]): void {
  for (const name of names) {
    const value = from.headers.get(name);
    if (value === null || (name === 'www-authenticate' && asksForPassword.test(value))) continue;
    to.headers.set(name, value);
  }
}

/** The response headers that a page may read in addition to the CORS-safelisted ones. */
const exposedOf = (answer: Response): readonly string[] =>
  [...answer.headers.keys()].filter(
    (name) => /^(?:mcp|x-web)-/u.test(name) || name === 'www-authenticate',
  );

async function readSome(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  if (!response.body) return text;
  for await (const part of response.body as ReadableStream<Uint8Array>) {
    text += decoder.decode(part.subarray(0, maxSaidBytes), { stream: true });
    if (text.length >= maxSaidBytes) break;
  }
  return text.slice(0, maxSaidBytes);
}

/** Fails the stream if more bytes arrive: the bytes already sent can't be taken back. */
function limitBytes(
  limit: number,
  watch: { readonly tooLarge: () => TypeError; readonly arrived?: () => void } = {
    tooLarge: () => new TypeError('The answer is too large.'),
  },
): TransformStream<Uint8Array, Uint8Array> {
  let length = 0;
  return new TransformStream({
    transform(part, controller) {
      length += part.length;
      if (length > limit) controller.error(watch.tooLarge());
      else controller.enqueue(part);
    },
    flush: () => watch.arrived?.(),
  });
}

function refuse(status: number, text: string): Response {
  return new Response(text, {
    status,
    headers: { ...plainHeaders, 'content-type': 'text/plain; charset=utf-8' },
  });
}
