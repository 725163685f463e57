// The web's WebSocket (RFC 6455). Connects to a server that a cell has started, by an http upgrade.
import type { Kernel } from '../kernel-type.ts';
import type { Stream } from '../streams/stream-side.ts';
import { makeFrame, opcodes, readFrames } from '../http/web-socket-frames.ts';

/** The constant of RFC 6455 for computing the accept key. */
const suffix = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

const states = { CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3 };
const handlers = ['open', 'message', 'error', 'close'] as const;

/** Returns the classes. */
export function addWebSocket(kernel: Kernel) {
  const Event = kernel.Event as new (...args) => any;
  const { MessageEvent } = kernel.part('message-channel') as any;
  const { Blob } = kernel.part('blob');
  const { nextTick } = kernel.process as unknown as { nextTick: (job) => void };
  const { createHash, randomBytes } = kernel.nodeCrypto() as any;
  const fault = (name: string, message: string) => new DOMException(message, name);
  const strict = Reflect.construct(kernel.TextDecoder, ['utf-8', { fatal: true, ignoreBOM: true }]);

  class CloseEvent extends Event {
    readonly code: number;
    readonly reason: string;
    readonly wasClean: boolean;
    constructor(type: string, options: Record<string, any> = {}) {
      super(type, options);
      this.code = options.code ?? 0;
      this.reason = options.reason ?? '';
      this.wasClean = options.wasClean ?? false;
    }
  }

  function toUrl(given: unknown): any {
    let url;
    try {
      url = new kernel.URL(String(given));
    } catch {
      throw fault('SyntaxError', 'Invalid URL: ' + String(given));
    }
    if (url.protocol === 'http:') url.protocol = 'ws:';
    if (url.protocol === 'https:') url.protocol = 'wss:';
    if (url.protocol !== 'ws:' && url.protocol !== 'wss:')
      throw fault('SyntaxError', 'A WebSocket URL begins with ws: or wss:, not ' + url.protocol);
    if (url.hash || url.href.endsWith('#'))
      throw fault('SyntaxError', 'A WebSocket URL has no fragment: ' + url.href);
    return url;
  }

  class WebSocket extends (kernel.EventTarget as new () => any) {
    static readonly CONNECTING = states.CONNECTING;
    static readonly OPEN = states.OPEN;
    static readonly CLOSING = states.CLOSING;
    static readonly CLOSED = states.CLOSED;
    readonly url: string;
    #protocol = '';
    #binaryType = 'blob';
    #state = states.CONNECTING;
    #buffered = 0;
    #request: Stream;
    #socket: Stream | undefined;
    /** Resolves when earlier messages are sent. The bytes of a Blob arrive asynchronously. */
    #sending: Promise<unknown> | undefined;
    #isCloseSent = false;
    #hasFailed = false;
    /** The code and reason of the server's close frame. */
    #closed: { readonly code: number; readonly reason: string } | undefined;
    #listeners: Record<string, unknown> = {};

    constructor(given: unknown, protocols: unknown = []) {
      super();
      const url = toUrl(given);
      const wanted = (Array.isArray(protocols) ? protocols : [protocols]).map(String);
      const isToken = (name: string) => /^[!#$%&'*+.^_\x60|~0-9A-Za-z-]+$/.test(name);
      if (!wanted.every(isToken) || new Set(wanted).size < wanted.length)
        throw fault('SyntaxError', 'A subprotocol is a token, named once.');
      this.url = url.href;
      this.#open(url, wanted);
    }

    get readyState() {
      return this.#state;
    }
    get protocol() {
      return this.#protocol;
    }
    get extensions() {
      return '';
    }
    get bufferedAmount() {
      return this.#buffered;
    }
    get binaryType() {
      return this.#binaryType;
    }
    set binaryType(type: string) {
      this.#binaryType = type === 'arraybuffer' ? type : 'blob';
    }

    #open(url, wanted: readonly string[]): void {
      const key = randomBytes(16).toString('base64');
      const { http, https } = kernel.part('http') as any;
      const { hostname, port, pathname, search } = url;
      this.#request = (url.protocol === 'wss:' ? https : http).request({
        host: hostname,
        ...(port && { port }),
        path: pathname + search,
        headers: {
          Connection: 'Upgrade',
          Upgrade: 'websocket',
          'Sec-WebSocket-Key': key,
          'Sec-WebSocket-Version': '13',
          ...(wanted.length > 0 && { 'Sec-WebSocket-Protocol': wanted.join(', ') }),
        },
      });
      this.#request.on('error', (error: Error) => this.#fail(error.message));
      this.#request.on('response', ({ statusCode }: Stream) =>
        this.#fail('The server refused the WebSocket with status ' + statusCode + '.'),
      );
      this.#request.on('upgrade', ({ headers }: Stream, socket: Stream, head: Uint8Array) => {
        this.#socket = socket;
        const accept = createHash('sha1')
          .update(key + suffix)
          .digest('base64');
        const protocol = headers['sec-websocket-protocol'];
        const isAsked = protocol === undefined || wanted.includes(protocol);
        if (headers['sec-websocket-accept'] !== accept || !isAsked) {
          this.#fail("The server's answer to the handshake doesn't fit.");
          return;
        }
        this.#protocol = protocol ?? '';
        this.#state = states.OPEN;
        this.#listen(socket);
        this.dispatchEvent(new Event('open'));
        if (head.length > 0) socket.unshift(head);
      });
      this.#request.end();
    }

    #listen(socket: Stream): void {
      const read = readFrames(kernel.Buffer as any, {
        message: (opcode, payload) => this.#receive(opcode, payload),
        ping: (payload) => this.#write(opcodes.pong, payload),
        close: (payload) => this.#receiveClose(payload),
        fail: (code, why) => this.#fail(why, code),
      });
      socket.on('data', read);
      socket.on('error', () => {});
      socket.on('close', () => this.#end());
    }

    #receive(opcode: number, payload: Uint8Array<ArrayBuffer>): void {
      if (this.#state !== states.OPEN) return;
      let data: unknown;
      if (opcode === opcodes.binary) {
        const bytes = payload.slice();
        data = this.#binaryType === 'blob' ? new Blob([bytes]) : bytes.buffer;
      } else {
        try {
          data = strict.decode(payload);
        } catch {
          this.#fail('The server sent a text that is no UTF-8.', 1007);
          return;
        }
      }
      const { origin } = new kernel.URL(this.url) as any;
      this.dispatchEvent(new MessageEvent('message', { data, origin }));
    }

    #receiveClose(payload: Uint8Array<ArrayBuffer>): void {
      const code =
        payload.length < 2 ? 1005 : new DataView(payload.buffer, payload.byteOffset).getUint16(0);
      const reason = kernel.toBuffer(payload.subarray(2)).toString('utf8');
      this.#closed = { code, reason };
      this.#sendClose(payload.subarray(0, 2));
      this.#socket?.end();
    }

    send(data: unknown): void {
      if (this.#state === states.CONNECTING)
        throw fault('InvalidStateError', 'Sent before open: wait for the open event.');
      const isBlob = data instanceof (Blob as any);
      const bytes = isBlob ? undefined : kernel.plainBytes(data);
      const opcode = isBlob || bytes !== undefined ? opcodes.binary : opcodes.text;
      const payload = bytes ?? (isBlob ? undefined : kernel.host.encodeText(String(data)));
      if (this.#state !== states.OPEN) return;
      const length = payload?.length ?? (data as { size: number }).size;
      this.#buffered += length;
      const write = (given: Uint8Array) =>
        this.#write(opcode, given, () => {
          this.#buffered -= length;
        });
      if (payload !== undefined && this.#sending === undefined) {
        write(payload);
        return;
      }
      const own = payload?.slice() ?? (data as { bytes(): Promise<Uint8Array> }).bytes();
      const sending = (this.#sending ?? Promise.resolve())
        .then(() => own)
        .then(write)
        .then(() => {
          if (this.#sending === sending) this.#sending = undefined;
        });
      this.#sending = sending;
    }

    close(code?: unknown, reason?: unknown): void {
      const number = code === undefined ? undefined : Number(code) || 0;
      if (number !== undefined && number !== 1000 && !(number >= 3000 && number <= 4999))
        throw fault('InvalidAccessError', 'A close code is 1000 or from 3000 to 4999.');
      const text = kernel.host.encodeText(reason === undefined ? '' : String(reason));
      if (text.length > 123)
        throw fault('SyntaxError', 'A close reason has 123 bytes of UTF-8 at most.');
      if (this.#state >= states.CLOSING) return;
      if (this.#state === states.CONNECTING) {
        this.#fail('The WebSocket was closed before it was open.');
        return;
      }
      this.#state = states.CLOSING;
      const payload =
        number === undefined
          ? new Uint8Array(0)
          : new Uint8Array([number >> 8, number & 255, ...text]);
      if (this.#sending === undefined) this.#sendClose(payload);
      else void this.#sending.then(() => this.#sendClose(payload));
    }

    #sendClose(payload: Uint8Array): void {
      if (this.#state === states.OPEN) this.#state = states.CLOSING;
      if (this.#isCloseSent) return;
      this.#write(opcodes.close, payload);
      this.#isCloseSent = true;
    }

    #write(opcode: number, payload: Uint8Array, callback = () => {}): void {
      if (this.#isCloseSent || this.#socket?.writable !== true) return;
      this.#socket.write(makeFrame(opcode, payload, randomBytes(4)), callback);
    }

    #fail(message: string, code?: number): void {
      if (this.#hasFailed || this.#state === states.CLOSED) return;
      this.#hasFailed = true;
      const isOpen = this.#state === states.OPEN;
      this.#state = states.CLOSING;
      if (isOpen && code !== undefined) this.#sendClose(new Uint8Array([code >> 8, code & 255]));
      const event = Object.assign(new Event('error'), { message, error: new Error(message) });
      nextTick(() => {
        this.dispatchEvent(event);
        this.#request.destroy();
        this.#socket?.destroy();
        nextTick(() => this.#end());
      });
    }

    #end(): void {
      if (this.#state === states.CLOSED) return;
      this.#state = states.CLOSED;
      const { code, reason } = this.#closed ?? { code: 1006, reason: '' };
      const wasClean = this.#closed !== undefined;
      this.dispatchEvent(new CloseEvent('close', { code, reason, wasClean }));
    }

    static {
      for (const [name, value] of Object.entries(states))
        Object.defineProperty(this.prototype, name, { value, enumerable: true });
      for (const type of handlers) {
        Object.defineProperty(this.prototype, 'on' + type, {
          configurable: true,
          enumerable: true,
          get(this: WebSocket) {
            return this.#listeners[type] ?? null;
          },
          set(this: WebSocket, listener: unknown) {
            this.removeEventListener(type, this.#listeners[type]);
            this.#listeners[type] = typeof listener === 'function' ? listener : null;
            if (typeof listener === 'function') this.addEventListener(type, listener);
          },
        });
      }
    }
  }

  return { WebSocket, CloseEvent };
}
