// The guest's only access to the network. It checks where a request goes and what it carries, and
// counts it. Only plain text and bytes of the guest's reach the host's fetch. Pages that a tool
// reads for the model pass the same checks: see hosts/read-web-page.ts.
import { SdkError } from '../../core/errors.ts';
import type { HostAccess } from '../../core/access/host-access.ts';
import type { FetchPort } from '../../core/host-ports/fetch-port.ts';
import type { CellMeter } from '../vm/limits.ts';
import { createHostJudge, plainHost } from '../../core/access/network-hosts.ts';
import { joinBytes } from '../../core/bytes/join-bytes.ts';

/** What a cell may reach. */
export interface NetworkAccess extends HostAccess {
  /**
   * Called with each request just before it is sent. From then on the request can't be undone, even
   * if the cell is rolled back.
   */
  onSend?(request: SentRequest): void;
}

export interface SentRequest {
  readonly method: string;
  readonly url: string;
}

/** A guest's request, whose types were checked. */
export interface GuestRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly redirect: 'follow' | 'error' | 'manual';
  readonly body: Uint8Array | undefined;
}

export interface GuestResponse {
  readonly url: string;
  readonly redirected: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
}

export interface NetworkBroker {
  /**
   * Sends a request. Rejects with an SdkError: `permission-denied` (named PermissionDenied) if the
   * cell may not reach the host; `limit-exceeded` if a limit is reached; otherwise `invalid-input`
   * named TypeError, as for fetch.
   */
  fetch(request: GuestRequest, signal: AbortSignal): Promise<GuestResponse>;
}

/** Describes who makes the request, for refusals. */
export interface NetworkAsker {
  /** The name, capitalized. */
  readonly name: string;
  /** Returns the permission rule that would allow the host. */
  toRule(host: string): string;
}

const cell: NetworkAsker = { name: 'This cell', toRule: (host) => `Repl(net:${host})` };

/** Creates the network access of one cell. Without a port or access every request is refused. */
export function createNetworkBroker(
  port: FetchPort | undefined,
  access: NetworkAccess | undefined,
  meter: Pick<CellMeter, 'take'>,
  asker: NetworkAsker = cell,
): NetworkBroker {
  if (!port || !access) {
    return { fetch: (request) => Promise.reject(denied(new URL(request.url), asker)) };
  }
  return new Broker(port, access, meter, asker);
}

const methods: ReadonlySet<string> = new Set([
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
]);

// Security: the guest must not set headers that identify the client, control proxies, or frame the
// message. These are the Fetch standard's forbidden request headers, and headers that override the
// method.
const forbiddenHeaders =
  /^(?:accept-charset|accept-encoding|access-control-request-.*|connection|content-length|cookie2?|date|dnt|expect|forwarded|host|http2-settings|keep-alive|origin|proxy-.*|referer|sec-.*|set-cookie2?|te|trailer|transfer-encoding|upgrade|via|x-forwarded-.*|x-http-method(?:-override)?|x-method-override|x-real-ip|cf-.*)$/iu;

/** Cookies of other servers are of no use to a guest. */
const hiddenHeaders: ReadonlySet<string> = new Set(['set-cookie', 'set-cookie2']);

// 20: the limit of the Fetch standard.
const maxRedirects = 20;

class Broker implements NetworkBroker {
  readonly #port: FetchPort;
  readonly #access: NetworkAccess;
  readonly #meter: Pick<CellMeter, 'take'>;
  readonly #asker: NetworkAsker;
  readonly #judge: ReturnType<typeof createHostJudge>;

  constructor(
    port: FetchPort,
    access: NetworkAccess,
    meter: Pick<CellMeter, 'take'>,
    asker: NetworkAsker,
  ) {
    this.#port = port;
    this.#access = access;
    this.#meter = meter;
    this.#asker = asker;
    this.#judge = createHostJudge(access, new Set(port.ownHosts));
  }

  async fetch(request: GuestRequest, signal: AbortSignal): Promise<GuestResponse> {
    let hop = { ...request, url: new URL(request.url), method: checkMethod(request.method) };
    checkHeaders(request.headers);
    for (let count = 0; ; count += 1) {
      const response = await this.#send(hop, signal);
      const target = redirectTarget(response, hop.url);
      if (!target || request.redirect === 'manual') {
        return this.#receive(response, hop.url, count > 0);
      }
      await response.body?.cancel();
      if (request.redirect === 'error') throw failed(hop.url, 'the server answered by a redirect');
      if (count === maxRedirects) throw failed(hop.url, `more than ${maxRedirects} redirects`);
      hop = nextHop(hop, response.status, target);
    }
  }

  async #send(hop: Hop, signal: AbortSignal): Promise<Response> {
    const { url, method, headers, body } = hop;
    if (url.protocol !== 'https:' && url.protocol !== 'http:') {
      throw failed(url, `the scheme ${url.protocol} isn't available, only http: and https: are`);
    }
    if (url.username !== '' || url.password !== '') {
      throw failed(url, 'a URL may not carry a user name or password; send a header for it');
    }
    if (this.#judge(url) !== 'allow') throw denied(url, this.#asker);
    this.#meter.take('maxFetches');
    if (body) this.#meter.take('maxFetchBytes', body.length);
    const target = new URL(url);
    target.hash = '';
    this.#access.onSend?.({ method, url: target.href });
    try {
      return await this.#port.send(target.href, {
        method,
        headers,
        signal,
        ...(body && { body: new Uint8Array(body) }),
      });
    } catch (error) {
      // The host's own refusals are passed on with their reason.
      if (signal.aborted || SdkError.isInstance(error)) throw error;
      throw failed(url, this.#whyNot(error));
    }
  }

  /**
   * Explains a failed request. The platform hides the reason, because a page must not learn about
   * servers that deny it access.
   */
  #whyNot(error: unknown): string {
    const cause: unknown = error instanceof Error ? error.cause : undefined;
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    if (/^[A-Z_]+$/u.test(code)) return code;
    return this.#port.redirect === 'manual'
      ? 'the server could not be reached'
      : "the server could not be reached, doesn't allow pages of other origins to read it (CORS), " +
          'or answered by a redirect, which is not followed here';
  }

  async #receive(response: Response, url: URL, redirected: boolean): Promise<GuestResponse> {
    return {
      url: url.href,
      redirected,
      status: response.status,
      statusText: response.statusText,
      headers: [...response.headers].filter(([name]) => !hiddenHeaders.has(name)),
      body: await this.#readBody(response, url),
    };
  }

  /** Counts bytes as they arrive, so that no more than the limit is ever held. */
  async #readBody(response: Response, url: URL): Promise<Uint8Array> {
    if (!response.body) return new Uint8Array();
    const reader = response.body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    const chunks: Uint8Array[] = [];
    let length = 0;
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw failed(url, `the connection broke after ${length} bytes`, error);
      });
      if (done) break;
      try {
        this.#meter.take('maxFetchBytes', value.length);
      } catch (error) {
        await reader.cancel();
        throw error;
      }
      chunks.push(value);
      length += value.length;
    }
    return joinBytes(chunks);
  }
}

interface Hop extends Omit<GuestRequest, 'url'> {
  readonly url: URL;
}

function redirectTarget(response: Response, from: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(response.status)) return undefined;
  const location = response.headers.get('location');
  if (location === null) return undefined;
  if (!URL.canParse(location, from)) throw failed(from, 'the server redirects to no valid URL');
  return new URL(location, from);
}

/** Returns the request for the next hop, changed as the Fetch standard demands. */
function nextHop(hop: Hop, status: number, target: URL): Hop {
  const becomesGet =
    (status === 303 && hop.method !== 'HEAD') || (status < 303 && hop.method === 'POST');
  const isElsewhere = target.origin !== hop.url.origin;
  const headers = hop.headers.filter(
    ([name]) =>
      !(isElsewhere && /^authorization$/iu.test(name)) && !(becomesGet && /^content-/iu.test(name)),
  );
  return {
    ...hop,
    url: target,
    headers,
    ...(becomesGet && { method: 'GET', body: undefined }),
  };
}

function checkMethod(method: string): string {
  const upper = method.toUpperCase();
  if (methods.has(upper)) return upper;
  throw refusal(`The method ${method} isn't available. There are ${[...methods].join(', ')}.`);
}

function checkHeaders(headers: GuestRequest['headers']): void {
  for (const [name] of headers) {
    if (forbiddenHeaders.test(name)) {
      throw refusal(`The header ${name} can't be set by a cell: leave it out.`);
    }
  }
}

function denied(url: URL, asker: NetworkAsker): SdkError {
  const host = plainHost(url);
  const port = url.port === '' ? '' : `:${url.port}`;
  const error = new SdkError(
    'permission-denied',
    `${asker.name} may not reach ${host}${port}. It needs the permission ${asker.toRule(host + port)}, ` +
      'which only the user can give.',
    { data: { host: `${host}${port}` } },
  );
  error.name = 'PermissionDenied';
  return error;
}

function failed(url: URL, why: string, cause?: unknown): SdkError {
  return refusal(`fetch of ${url.origin}${url.pathname} failed: ${why}.`, cause);
}

function refusal(message: string, cause?: unknown): SdkError {
  const error = new SdkError('invalid-input', message, { cause });
  error.name = 'TypeError';
  return error;
}
