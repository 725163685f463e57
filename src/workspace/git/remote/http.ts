// The requests of one git command to one server, as isomorphic-git's HTTP client. Only git's three
// kinds of requests are sent. A received pack isn't passed on, but kept for Rockpool's own indexer.
import { createAbortError, throwIfAborted } from '../../../core/async/abort.ts';
import { SdkError } from '../../../core/errors.ts';
import { joinBytes } from '../../../core/bytes/join-bytes.ts';
import type { GitHttpRequest, GitHttpResponse, HttpClient } from 'isomorphic-git';
import type { GitProgress } from '../git.ts';
import { maxFileBytes } from '../../files/file-limits.ts';
import {
  maxAdvertisementBytes,
  readAdvertisement,
  type AdvertisedRefs,
  type Advertisement,
} from './advertisement.ts';
import { Authorization } from './authorization.ts';
import type { GitNetwork } from './network.ts';
import { PktLineReader, toPktLine } from './pkt-line.ts';
import { showUrl } from './remote-url.ts';

/** What a command provides for its requests. */
export interface GitHttpOptions {
  readonly network: GitNetwork;
  /** The validated address of the repository. */
  readonly url: string;
  readonly signal: AbortSignal | undefined;
  progress(progress: GitProgress): void;
}

type Service = 'git-upload-pack' | 'git-receive-pack';

// 2 kB: messages of a server are for a person, and longer ones would only flood the reader.
const maxSaid = 2048;
// 8 MB: the report of a push has a line for each ref.
const maxReportBytes = 8_388_608;

/** One command's exchange with a server. Used by one call of isomorphic-git at a time. */
export class GitHttp implements HttpClient {
  readonly #options: GitHttpOptions;
  readonly #authorization: Authorization;
  #pack: Uint8Array<ArrayBuffer> | undefined;
  #advertised: (Advertisement & { service: Service; bytes: Uint8Array }) | undefined;
  #said = '';

  constructor(options: GitHttpOptions) {
    this.#options = options;
    this.#authorization = new Authorization(options.network, options.url, options.signal);
  }

  get url(): string {
    return this.#options.url;
  }

  /** Requests the server's refs, once: isomorphic-git gets the same answer. */
  async list(service: Service): Promise<AdvertisedRefs> {
    const type = `application/x-${service}-advertisement`;
    const path = `/info/refs?service=${service}`;
    const response = await this.#send({ path, service, type });
    const bytes = await this.#readAll(response, maxAdvertisementBytes, () =>
      this.#tooMany('lists more branches and tags than can be taken in here'),
    );
    this.#advertised = { service, bytes, ...(await readAdvertisement(bytes)) };
    return this.refs;
  }

  /** The server's refs, after {@link list}. */
  get refs(): AdvertisedRefs {
    if (!this.#advertised) throw new TypeError('The server was not asked yet.');
    return this.#advertised.refs;
  }

  /** The full name of the server's HEAD branch, if it tells it. */
  get head(): string | undefined {
    return this.#advertised?.head;
  }

  /** Returns the received pack, which then belongs to the caller, or undefined. */
  takePack(): Uint8Array<ArrayBuffer> | undefined {
    const pack = this.#pack;
    this.#pack = undefined;
    return pack;
  }

  /** Returns the end of the server's messages, without credentials. */
  said(): string {
    return this.#clean(this.#said).trim();
  }

  /**
   * isomorphic-git's HTTP function. Rejects with SdkErrors, so errors contain nothing of a request.
   */
  readonly request = async (request: GitHttpRequest): Promise<GitHttpResponse> => {
    const { url: base } = this.#options;
    for (const service of ['git-upload-pack', 'git-receive-pack'] as const) {
      if (request.url === `${base}/info/refs?service=${service}`) return this.#list(service);
      if (request.url === `${base}/${service}`) {
        const body = await collect(request.body);
        return service === 'git-upload-pack' ? this.#fetch(body) : this.#push(body);
      }
    }
    throw new TypeError('Git has three requests, and this is none of them.');
  };

  async #list(service: Service): Promise<GitHttpResponse> {
    if (this.#advertised?.service !== service) await this.list(service);
    const bytes = this.#advertised?.bytes ?? new Uint8Array();
    return this.#answer(bytes, `application/x-${service}-advertisement`);
  }

  /** Passes control frames to isomorphic-git. The pack and messages are kept here. */
  async #fetch(body: Uint8Array<ArrayBuffer>): Promise<GitHttpResponse> {
    const service = 'git-upload-pack';
    const type = `application/x-${service}-result`;
    const response = await this.#send({ path: `/${service}`, service, type, body });
    const reader = new PktLineReader(this.#read(response));
    const steering: Uint8Array[] = [];
    const parts: Uint8Array[] = [];
    let length = 0;
    for (let line = await reader.next(); line !== undefined; line = await reader.next()) {
      if (line === null) steering.push(flushLine);
      else if (line[0] === 1) {
        length += line.length - 1;
        if (length > maxFileBytes) {
          throw this.#tooMany(`sends more than ${maxFileBytes} bytes; clone with a smaller depth`);
        }
        // A copy, because a view would keep the whole received chunk in memory.
        parts.push(line.slice(1));
        this.#options.progress({ phase: 'receiving', done: length });
      } else this.#takeFrame(line, steering);
    }
    this.#pack = length === 0 ? undefined : joinBytes(parts);
    return this.#answer(joinBytes(steering), type);
  }

  async #push(body: Uint8Array<ArrayBuffer>): Promise<GitHttpResponse> {
    const service = 'git-receive-pack';
    const type = `application/x-${service}-result`;
    this.#options.progress({ phase: 'sending', done: 0, total: body.length });
    const response = await this.#send({ path: `/${service}`, service, type, body });
    this.#options.progress({ phase: 'sending', done: body.length, total: body.length });
    const bytes = await this.#readAll(response, maxReportBytes, () =>
      this.#tooMany('says too much about a push'),
    );
    // Reads messages. isomorphic-git parses the report from the same bytes.
    const reader = new PktLineReader(only(bytes));
    for (let line = await reader.next(); line !== undefined; line = await reader.next()) {
      if (line && line[0] !== 1) this.#takeFrame(line, []);
    }
    return this.#answer(bytes, type);
  }

  /** Handles a frame that isn't pack data: a message, a fatal error, or a control frame. */
  #takeFrame(line: Uint8Array, steering: Uint8Array[]): void {
    const band = line[0];
    const text = new TextDecoder().decode(band === 2 || band === 3 ? line.subarray(1) : line);
    if (band === 2) this.#hear(text);
    else if (band === 3 || text.startsWith('ERR ')) {
      throw this.#failed(
        `stopped: ${this.#clean(text.replace(/^ERR /u, '')).trim().slice(0, 500)}`,
      );
    } else steering.push(toPktLine(line));
  }

  #hear(text: string): void {
    this.#said = (this.#said + text).slice(-maxSaid);
    const [, phase, done, total] = /([A-Z][^:\r\n]*):\s+\d+% \((\d+)\/(\d+)\)/u.exec(text) ?? [];
    if (phase === undefined) return;
    this.#options.progress({
      phase: `server: ${this.#clean(phase.toLowerCase())}`,
      done: Number(done),
      total: Number(total),
    });
  }

  /**
   * Returns the response after validating that it is git's. Asks for credentials if the server
   * requires them.
   */
  async #send(request: {
    readonly path: string;
    readonly service: Service;
    readonly type: string;
    readonly body?: Uint8Array<ArrayBuffer>;
  }): Promise<Response> {
    for (;;) {
      const response = await this.#sendOnce(request);
      if (response.status !== 401) return this.#check(response, request.type);
      await response.body?.cancel();
      await this.#authorization.renew();
    }
  }

  async #sendOnce({
    path,
    service,
    body,
  }: {
    readonly path: string;
    readonly service: Service;
    readonly body?: Uint8Array<ArrayBuffer>;
  }): Promise<Response> {
    const { network, url, signal } = this.#options;
    const { proxy } = network;
    throwIfAborted(signal);
    const headers: [string, string][] = [
      ...Object.entries(proxy?.headers ?? {}),
      ...this.#authorization.headers(),
    ];
    if (body) {
      headers.push(['content-type', `application/x-${service}-request`]);
      headers.push(['accept', `application/x-${service}-result`]);
    }
    // `createGitProxy` takes the address without a scheme, because it always uses https.
    const target = proxy
      ? `${proxy.url.replace(/\/+$/u, '')}/${url.replace(/^https?:\/\//u, '')}`
      : url;
    try {
      return await network.fetch.send(target + path, {
        method: body ? 'POST' : 'GET',
        headers,
        signal: signal ?? new AbortController().signal,
        ...(body && { body }),
      });
    } catch (error) {
      if (signal?.aborted) throw createAbortError(signal.reason);
      if (SdkError.isInstance(error)) throw error;
      throw this.#failed(unreachable(network));
    }
  }

  async #check(response: Response, type: string): Promise<Response> {
    const { status, headers } = response;
    if (status === 200 && headers.get('content-type') === type) return response;
    const isText = headers.get('content-type')?.startsWith('text/plain') === true;
    const text = isText
      ? await this.#readAll(response, maxReportBytes, () => undefined)
      : undefined;
    if (!isText) await response.body?.cancel();
    const said = text ? this.#clean(new TextDecoder().decode(text.subarray(0, 300))).trim() : '';
    const why = this.#whyNot(response);
    throw this.#failed(said === '' ? why : `${why} It says: ${said}`, status);
  }

  #whyNot({ status, headers }: Response): string {
    const moved = headers.get('location') ?? headers.get('x-git-location');
    if (moved !== null && ((status >= 300 && status < 400) || headers.has('x-git-location'))) {
      const url = URL.canParse(moved, this.#options.url) ? new URL(moved, this.#options.url) : null;
      // The new address ends with the requested resource.
      const place = url && showUrl(url).replace(/\/(?:info\/refs|git-[a-z]+-pack)$/u, '');
      return `answered by a redirect${place === null ? '' : ` to ${place}`}, which isn't followed. If that is where the repository is now, use that address.`;
    }
    if (status === 403) return 'refuses access (403): whoever asks has no right to this.';
    if (status === 404) {
      return `has no repository there (404), or hides it from those who may not see it: check the address and the credentials.${this.#orNoProxy()}`;
    }
    if (status === 413) return 'refuses so much at once (413).';
    if (status === 429) return 'had too many requests (429). Try again later.';
    if (status >= 500) return `failed (${status}). Try again later.`;
    if (status !== 200) return `answered with the status ${status}.`;
    return `answered, but not by git: perhaps a page to sign in at, or an error of a proxy. Check the address.${this.#orNoProxy()}`;
  }

  /** A server of pages answers a path that it doesn't serve by its start page, or by 404. */
  #orNoProxy(): string {
    const { proxy } = this.#options.network;
    if (!proxy) return '';
    const place = URL.canParse(proxy.url) ? showUrl(new URL(proxy.url)) : proxy.url;
    return ` Or there is no git proxy at ${place}.`;
  }

  /** Counts bytes as they arrive, so that no more than the limit is ever held. */
  async #readAll(
    response: Response,
    limit: number,
    tooMany: () => SdkError | undefined,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of this.#read(response)) {
      length += part.length;
      const error = length > limit ? tooMany() : undefined;
      if (error) throw error;
      if (length > limit) break;
      parts.push(part);
    }
    return joinBytes(parts);
  }

  async *#read(response: Response): AsyncGenerator<Uint8Array, undefined> {
    if (!response.body) return undefined;
    const { signal } = this.#options;
    const reader = response.body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    let length = 0;
    try {
      for (;;) {
        const { done, value } = await reader.read().catch(() => {
          if (signal?.aborted) throw createAbortError(signal.reason);
          throw this.#failed(`broke the connection after ${length} bytes. Try again.`);
        });
        if (done) return undefined;
        throwIfAborted(signal);
        length += value.length;
        yield value;
      }
    } finally {
      // Ends the connection if the reader stopped early.
      await reader.cancel().catch(() => undefined);
    }
  }

  #answer(bytes: Uint8Array, type: string): GitHttpResponse {
    return {
      url: this.#options.url,
      statusCode: 200,
      statusMessage: 'OK',
      headers: { 'content-type': type },
      body: only(bytes),
    };
  }

  #tooMany(what: string): SdkError {
    const host = new URL(this.#options.url).host;
    return new SdkError('limit-exceeded', `${host} ${what}. Nothing was changed.`, {
      data: { host },
    });
  }

  #failed(what: string, status?: number): SdkError {
    const host = new URL(this.#options.url).host;
    return new SdkError('tool-failed', `${host} ${what}`, {
      data: { host, ...(status !== undefined && { status }) },
    });
  }

  /** Security: a server may repeat credentials, and send control characters to a terminal. */
  #clean(text: string): string {
    // eslint-disable-next-line no-control-regex -- those are what is taken out
    return this.#authorization.hide(text).replaceAll(/[\u0000-\u0009\u000b-\u001f\u007f]+/gu, ' ');
  }
}

const flushLine = new TextEncoder().encode('0000');

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array, undefined> {
  yield bytes;
}

async function collect(body: GitHttpRequest['body']): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  // isomorphic-git passes an array, although its types say an iterator.
  const source = (body ?? []) as AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  for await (const part of source) parts.push(part);
  return joinBytes(parts);
}

/** A browser doesn't tell a page why a request failed. */
function unreachable({ fetch, proxy }: GitNetwork): string {
  if (fetch.redirect === 'manual') return "can't be reached.";
  return proxy
    ? "can't be reached by the git proxy, or that can't be reached itself."
    : "can't be reached from this page. Most git servers allow no page to read them (CORS): set a git proxy. Or it answered by a redirect, as for a renamed repository: use its new address.";
}
