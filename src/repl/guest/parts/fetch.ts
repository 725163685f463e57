// `fetch` and its classes, over the host's broker: bodies come whole, as a stream of one piece.
import type { Kernel, Signal } from '../kernel-type.ts';

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

/** A response's head, as the host sends it. */
interface Received extends ResponseInit {
  readonly status: number;
  readonly url: string;
  readonly redirected: boolean;
}

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
    // A cookie may hold a comma, so these aren't joined.
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
      for (const [name, value] of this) callback.call(self, value, name, this);
    }
    *entries() {
      const cookies = this.#cookies.map((value) => [cookieName, value]);
      yield* [...this.#values, ...cookies].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    }
    *keys() {
      for (const [name] of this) yield name;
    }
    *values() {
      for (const [, value] of this) yield value;
    }
    [Symbol.iterator]() {
      return this.entries();
    }
    [show]() {
      return 'Headers ' + kernel.inspect(Object.fromEntries(this));
    }
  }

  /** The bytes that a body is sent as, and the content type that it has when nobody says one. */
  function extract(body): { bytes?: Uint8Array | undefined; type?: string } {
    if (body === undefined || body === null) return {};
    if (body instanceof BodyStream) return { bytes: body.peek() };
    const bytes = kernel.plainBytes(body);
    if (bytes !== undefined) return { bytes: bytes.slice() };
    if (body instanceof URLSearchParams) {
      return {
        bytes: host.encodeText(body.toString()),
        type: 'application/x-www-form-urlencoded;charset=UTF-8',
      };
    }
    if (typeof body === 'object' && typeof body[Symbol.asyncIterator] === 'function') {
      throw new TypeError("A body can't be a stream here: pass text or bytes.");
    }
    return { bytes: host.encodeText(String(body)), type: 'text/plain;charset=UTF-8' };
  }

  /** A body as a stream that has it all in one piece. Another body may be made of it. */
  class BodyStream {
    readonly #body: Body;
    #isLocked = false;
    #isRead = false;
    constructor(body: Body) {
      this.#body = body;
    }
    get locked() {
      return this.#isLocked;
    }
    peek() {
      return Body.peek(this.#body);
    }
    async #read() {
      if (this.#isRead) return { value: undefined, done: true };
      this.#isRead = true;
      return { value: await this.#body.bytes(), done: false };
    }
    getReader() {
      if (this.#isLocked) throw new TypeError('The stream is locked: it has a reader already.');
      this.#isLocked = true;
      return {
        read: () => this.#read(),
        cancel: () => this.cancel(),
        releaseLock: () => {
          this.#isLocked = false;
        },
      };
    }
    async cancel() {
      this.#isRead = true;
    }
    async *[Symbol.asyncIterator]() {
      const { value } = await this.#read();
      if (value !== undefined) yield value;
    }
    pipeTo() {
      throw streamless();
    }
    pipeThrough() {
      throw streamless();
    }
    tee() {
      throw streamless();
    }
  }
  const streamless = () =>
    new TypeError(
      'A body comes whole here: read it by text(), json(), bytes() or arrayBuffer(), and pass it on as it is.',
    );

  class Body {
    #stream: BodyStream | undefined;
    #bytes: Uint8Array | undefined;
    #isUsed = false;
    constructor(bytes: Uint8Array | undefined) {
      this.#bytes = bytes;
    }
    get bodyUsed() {
      return this.#isUsed;
    }
    get body() {
      if (this.#bytes === undefined) return null;
      return (this.#stream ??= new BodyStream(this));
    }
    #take() {
      if (this.#isUsed)
        throw new TypeError(
          'The body has already been read. Call clone() before, to read it twice.',
        );
      this.#isUsed = this.#bytes !== undefined;
      return this.#bytes ?? new Uint8Array();
    }
    static peek(body: Body) {
      if (body.#isUsed) throw new TypeError('The body has already been read.');
      return body.#bytes;
    }
    async bytes() {
      return this.#take();
    }
    async arrayBuffer() {
      return this.#take().buffer;
    }
    async text() {
      return host.decodeText(this.#take(), false, false);
    }
    async json() {
      return parse(await this.text());
    }
  }

  class Request extends Body {
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
      const { bytes, type } =
        init.body === undefined && from ? { bytes: Body.peek(from) } : extract(init.body);
      if (bytes !== undefined && (known === 'GET' || known === 'HEAD'))
        throw new TypeError('A request with the method ' + known + ' has no body.');
      super(bytes);
      const headers = new Headers(init.headers ?? from?.headers);
      if (type !== undefined && !headers.has('content-type')) headers.set('content-type', type);
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

  class Response extends Body {
    #parts: {
      url: string;
      redirected: boolean;
      readonly status: number;
      readonly statusText: string;
      readonly headers: Headers;
    };
    constructor(body, init: ResponseInit = {}) {
      const { bytes, type } = extract(body);
      const status = init.status ?? 200;
      if (!(status >= 200 && status <= 599))
        throw new RangeError('A status is a number from 200 to 599.');
      if (bytes !== undefined && [204, 205, 304].includes(status))
        throw new TypeError('A response with the status ' + status + ' has no body.');
      super(bytes);
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
    static receive(sent: Received, bytes: Uint8Array): Response {
      const response = new Response([204, 205, 304].includes(sent.status) ? undefined : bytes, {
        ...sent,
        status: sent.status,
      });
      response.#parts.url = sent.url;
      response.#parts.redirected = sent.redirected;
      return response;
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
      return this.url === '' ? 'default' : 'basic';
    }
    clone() {
      const copy = new Response(Body.peek(this), this);
      copy.#parts.url = this.url;
      copy.#parts.redirected = this.redirected;
      return copy;
    }
    [show]() {
      const { status, statusText, url, headers, bodyUsed } = this;
      return 'Response ' + kernel.inspect({ status, statusText, url, headers, bodyUsed });
    }
  }

  async function fetch(input, init?: RequestInit) {
    const request = new Request(input, init);
    const head = [request.url, request.method, request.redirect, ...[...request.headers].flat()];
    const [sent, body] = await kernel.callHost<[string, Uint8Array]>(
      () => host.startFetch(stringify(head), Body.peek(request)),
      request.signal,
    );
    return Response.receive(parse(sent), body);
  }
  return { fetch, Headers, Request, Response };
}
