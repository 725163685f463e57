// `fetch` and its classes over the host's network broker. Bodies are transferred as a whole; `body`
// is a stream over the data.
import type { Kernel, Signal } from '../kernel-type.ts';
import { disturbed } from '../web-streams/shared.ts';

interface RequestInit {
  readonly method?: unknown;
  readonly headers?: unknown;
  readonly body?: unknown;
  readonly redirect?: unknown;
  readonly signal?: Signal;
}

interface ResponseInit {
  readonly status?: number;
  readonly statusText?: unknown;
  readonly headers?: unknown;
}

/** The head of a response, as the host sends it. */
interface Received extends ResponseInit {
  readonly status: number;
  readonly url: string;
  readonly redirected: boolean;
}

type Content = Uint8Array | AsyncIterable<unknown>;

/** Returns fetch, Headers, Request and Response. */
export function addFetch(kernel: Kernel) {
  const { host, parse, stringify, URL, URLSearchParams, AbortController } = kernel;
  const show = Symbol.for('nodejs.util.inspect.custom');

  function headerName(name: unknown): string {
    const text = String(name);
    if (!/^[!#$%&'*+.^_\x60|~0-9A-Za-z-]+$/.test(text))
      throw new TypeError('Invalid header name: ' + kernel.inspect(text));
    return text.toLowerCase();
  }
  function headerValue(value: unknown): string {
    const text = String(value).trim();
    if (/[\0\r\n]|[^\0-\xff]/.test(text))
      throw new TypeError('Invalid header value: ' + kernel.inspect(text));
    return text;
  }
  const cookieName = 'set-cookie';
  class Headers {
    #values = new Map<string, string>();
    // Kept apart and not joined, because a cookie may contain a comma.
    #cookies: string[] = [];
    constructor(init?) {
      const pairs =
        typeof init?.[Symbol.iterator] === 'function' ? init : Object.entries(init ?? {});
      for (const [name, value] of pairs) this.append(name, value);
    }
    append(name, value) {
      const key = headerName(name);
      if (key === cookieName) {
        this.#cookies.push(headerValue(value));
        return;
      }
      const before = this.#values.get(key);
      this.#values.set(key, (before === undefined ? '' : before + ', ') + headerValue(value));
    }
    set(name, value) {
      const key = headerName(name);
      if (key === cookieName) this.#cookies = [headerValue(value)];
      else this.#values.set(key, headerValue(value));
    }
    get(name) {
      const key = headerName(name);
      if (key === cookieName && this.#cookies.length > 0) return this.#cookies.join(', ');
      return this.#values.get(key) ?? null;
    }
    has(name) {
      return this.get(name) !== null;
    }
    delete(name) {
      const key = headerName(name);
      if (key === cookieName) this.#cookies = [];
      else this.#values.delete(key);
    }
    getSetCookie() {
      return [...this.#cookies];
    }
    forEach(callback, self) {
      for (const [name, value] of this.#pairs()) callback.call(self, value, name, this);
    }
    // The methods share this private one, because a subclass may override any public method.
    *#pairs() {
      const cookies = this.#cookies.map((value) => [cookieName, value]);
      yield* [...this.#values, ...cookies].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    }
    entries() {
      return this.#pairs();
    }
    *keys() {
      for (const [name] of this.#pairs()) yield name;
    }
    *values() {
      for (const [, value] of this.#pairs()) yield value;
    }
    [Symbol.iterator]() {
      return this.#pairs();
    }
    [show]() {
      return 'Headers ' + kernel.inspect(Object.fromEntries(this.#pairs()));
    }
  }

  /** Returns the bytes of a body, and its default content type. */
  function extract(body): { content?: Content; type?: string } {
    if (body === undefined || body === null) return {};
    const bytes = kernel.plainBytes(body);
    if (bytes !== undefined) return { content: bytes.slice() };
    if (body instanceof URLSearchParams) {
      return {
        content: host.encodeText(body.toString()),
        type: 'application/x-www-form-urlencoded;charset=UTF-8',
      };
    }
    // Instances of these classes exist only if the part is loaded.
    if (kernel.hasPart('blob')) {
      const { Blob, FormData, toMultipart } = kernel.part('blob');
      if (body instanceof Blob)
        return { content: body.stream(), ...(body.type && { type: body.type }) };
      if (body instanceof FormData) {
        const { bytes: content, type } = toMultipart(body);
        return { content, type };
      }
    }
    if (typeof body === 'object' && typeof body[Symbol.asyncIterator] === 'function')
      return { content: body };
    return { content: host.encodeText(String(body)), type: 'text/plain;charset=UTF-8' };
  }

  const streams = () => kernel.part('web-streams');
  const streamBytes = (stream: AsyncIterable<unknown>) =>
    kernel.part('consume-streams').bytes(stream);

  /** As a parent class, it puts the fields of its children into an object that exists. */
  class Stamp {
    constructor(self: object) {
      return self;
    }
  }
  /**
   * The body of a request or response. It is in their prototypes, and no parent: programs look there for the web's own
   * methods, and take a parent for the web's own class.
   */
  class Body extends Stamp {
    declare readonly headers: Headers;
    #content: Content | undefined;
    /** The stream over the content. Created when it is first read. */
    #stream;
    #isUsed = false;
    constructor(self: object, content: Content | undefined) {
      super(self);
      this.#content = content;
    }
    get bodyUsed(): boolean {
      return this.#isUsed || (this.#stream?.[disturbed] ?? false);
    }
    get body() {
      const content = this.#content;
      if (content === undefined) return null;
      const { ReadableStream } = streams();
      if (content instanceof ReadableStream) this.#stream = content;
      if (this.#stream !== undefined) return this.#stream;
      const source = content instanceof Uint8Array ? [content] : content;
      const pieces = (source[Symbol.asyncIterator] ?? source[Symbol.iterator]).call(source);
      this.#stream = new ReadableStream(
        {
          pull: async (controller) => {
            const { value, done } = await pieces.next();
            if (done) controller.close();
            else controller.enqueue(value);
          },
          cancel: async (reason) => {
            await pieces.return?.(reason);
          },
        },
        { highWaterMark: 0 },
      );
      return this.#stream;
    }
    async #take(): Promise<Uint8Array> {
      if (this.bodyUsed || this.#stream?.locked)
        throw new TypeError(
          'The body has already been read. Call clone() before, to read it twice.',
        );
      const content = this.#content;
      this.#isUsed = content !== undefined;
      if (content === undefined) return new Uint8Array();
      return content instanceof Uint8Array ? content : streamBytes(content);
    }
    /** Copies a body. Bytes are shared, and a stream is split. */
    static share(body: Body): Content | undefined {
      if (body.bodyUsed || body.#stream?.locked)
        throw new TypeError('The body has already been read.');
      if (body.#content === undefined || body.#content instanceof Uint8Array) return body.#content;
      const [own, other] = body.body.tee();
      body.#content = own;
      body.#stream = undefined;
      return other;
    }
    async bytes() {
      return this.#take();
    }
    async arrayBuffer() {
      return (await this.#take()).buffer;
    }
    async blob() {
      const { Blob } = kernel.part('blob');
      return new Blob([await this.#take()], { type: this.headers.get('content-type') ?? '' });
    }
    async formData() {
      const { readForm } = kernel.part('blob');
      return readForm(await this.#take(), this.headers.get('content-type') ?? '');
    }
    async text() {
      return host.decodeText(await this.#take(), false, false);
    }
    async json() {
      return parse(await this.text());
    }
  }

  /** Fields of a request that have no effect here, with their defaults. */
  const plainFields = {
    ...{ credentials: 'same-origin', mode: 'cors', cache: 'default', keepalive: false },
    ...{ referrer: 'about:client', referrerPolicy: '', integrity: '', destination: '' },
    duplex: 'half',
  };
  // oxlint-disable-next-line no-unsafe-declaration-merging -- the members are put into its prototype below
  interface Request extends Body {}
  class Request {
    #fields: Record<string, unknown> = {};
    static {
      for (const name of Object.keys(plainFields))
        Object.defineProperty(Request.prototype, name, {
          get(this: Request) {
            return this.#fields[name];
          },
          enumerable: true,
          configurable: true,
        });
    }
    #parts: {
      readonly url: string;
      readonly method: string;
      readonly headers: Headers;
      readonly redirect: unknown;
      readonly signal: Signal;
    };
    constructor(input, init: RequestInit = {}) {
      const from = input instanceof Request ? input : undefined;
      const url = new URL(from ? from.url : String(input));
      const method = String(init.method ?? from?.method ?? 'GET');
      const known = method.toUpperCase();
      const { content, type } =
        init.body === undefined && from ? { content: Body.share(from) } : extract(init.body);
      if (content !== undefined && (known === 'GET' || known === 'HEAD'))
        throw new TypeError('A request with the method ' + known + ' has no body.');
      new Body(this, content);
      const headers = new Headers(init.headers ?? from?.headers);
      if (type !== undefined && !headers.has('content-type')) headers.set('content-type', type);
      for (const name of Object.keys(plainFields))
        this.#fields[name] = init[name] ?? from?.[name] ?? plainFields[name];
      this.#parts = {
        url: url.href,
        method: /^(delete|get|head|options|post|put)$/i.test(method) ? known : method,
        headers,
        redirect: init.redirect ?? from?.redirect ?? 'follow',
        signal: init.signal ?? from?.signal ?? new AbortController().signal,
      };
    }
    get url() {
      return this.#parts.url;
    }
    get method() {
      return this.#parts.method;
    }
    get headers() {
      return this.#parts.headers;
    }
    get redirect() {
      return this.#parts.redirect;
    }
    get signal() {
      return this.#parts.signal;
    }
    clone() {
      return new Request(this);
    }
    [show]() {
      return (
        'Request ' + kernel.inspect({ method: this.method, url: this.url, headers: this.headers })
      );
    }
  }

  // oxlint-disable-next-line no-unsafe-declaration-merging -- the members are put into its prototype below
  interface Response extends Body {}
  class Response {
    #parts: {
      url: string;
      redirected: boolean;
      readonly status: number;
      readonly statusText: string;
      readonly headers: Headers;
    };
    constructor(body, init: ResponseInit = {}) {
      const { content, type } = extract(body);
      const status = init.status ?? 200;
      if (!(status >= 200 && status <= 599))
        throw new RangeError('A status is a number from 200 to 599.');
      if (content !== undefined && [204, 205, 304].includes(status))
        throw new TypeError('A response with the status ' + status + ' has no body.');
      new Body(this, content);
      const headers = new Headers(init.headers);
      if (type !== undefined && !headers.has('content-type')) headers.set('content-type', type);
      this.#parts = {
        url: '',
        redirected: false,
        status,
        statusText: String(init.statusText ?? ''),
        headers,
      };
    }
    static receive(sent: Received, content: Content): Response {
      const response = new Response([204, 205, 304].includes(sent.status) ? undefined : content, {
        ...sent,
        status: sent.status,
      });
      response.#parts.url = sent.url;
      response.#parts.redirected = sent.redirected;
      return response;
    }
    static error() {
      const response = new Response(null);
      response.#parts = { ...response.#parts, status: 0 };
      return response;
    }
    static redirect(url: unknown, status = 302) {
      if (![301, 302, 303, 307, 308].includes(status))
        throw new RangeError('Invalid status code ' + status);
      return new Response(null, { status, headers: { location: new URL(String(url)).href } });
    }
    static json(value: unknown, init: ResponseInit = {}) {
      const headers = new Headers(init.headers);
      if (!headers.has('content-type')) headers.set('content-type', 'application/json');
      return new Response(stringify(value), { ...init, headers });
    }
    get url() {
      return this.#parts.url;
    }
    get status() {
      return this.#parts.status;
    }
    get statusText() {
      return this.#parts.statusText;
    }
    get ok() {
      return this.status >= 200 && this.status <= 299;
    }
    get headers() {
      return this.#parts.headers;
    }
    get redirected() {
      return this.#parts.redirected;
    }
    get type() {
      return this.status === 0 ? 'error' : this.url === '' ? 'default' : 'basic';
    }
    clone() {
      const copy = new Response(Body.share(this), this);
      copy.#parts.url = this.url;
      copy.#parts.redirected = this.redirected;
      return copy;
    }
    [show]() {
      const { status, statusText, url, headers, bodyUsed } = this;
      return 'Response ' + kernel.inspect({ status, statusText, url, headers, bodyUsed });
    }
  }

  const { constructor: _, ...ofBody } = Object.getOwnPropertyDescriptors(Body.prototype);
  for (const Class of [Request, Response]) Object.defineProperties(Class.prototype, ofBody);

  function fromDataUrl(url: string): Response {
    const [, type, isBase64, text] = /^data:([^,]*?)(;\s*base64)?,([^#]*)/i.exec(url) ?? [];
    if (text === undefined) throw new TypeError('fetch failed: no data: URL without a comma');
    const bytes = kernel.encode(unescape(text), 'latin1');
    const content = isBase64 ? kernel.encode(kernel.decode(bytes, 'latin1'), 'base64') : bytes;
    const head = { url, status: 200, statusText: 'OK', redirected: false };
    return Response.receive(
      { ...head, headers: { 'content-type': type || 'text/plain;charset=US-ASCII' } },
      content,
    );
  }

  async function fetch(input, init?: RequestInit) {
    const request = new Request(input, init);
    const { protocol } = new URL(request.url) as unknown as { protocol: string };
    if (protocol === 'data:') return fromDataUrl(request.url);
    if (protocol !== 'http:' && protocol !== 'https:')
      throw new TypeError(
        'fetch failed: it takes http:, https: and data:, and this is ' +
          kernel.inspect(request.url) +
          '. Read files by fs',
      );
    const head = [request.url, request.method, request.redirect, ...[...request.headers].flat()];
    let content = Body.share(request);
    if (content !== undefined && !(content instanceof Uint8Array))
      content = await streamBytes(content);
    const bytes = content;
    if (kernel.hasPart('http') && kernel.part('http').isAt(request.url)) {
      const { head: answered, body } = await kernel.part('http').fetch(request, bytes);
      return Response.receive(answered, body);
    }
    const [sent, body] = await kernel.callHost<[string, Uint8Array]>(
      () => host.startFetch(stringify(head), bytes),
      request.signal,
    );
    return Response.receive(parse(sent), body);
  }
  return { fetch, Headers, Request, Response };
}
