// The socket of one request, as far as there is one: addresses, timeouts and its end. Bytes pass
// through it only once the connection has left HTTP by CONNECT or an upgrade, such as a
// WebSocket's.
import type { Kernel } from '../kernel-type.ts';
import type { Callback } from '../streams/stream-side.ts';

type Timers = Record<'setTimeout' | 'clearTimeout', (...args) => unknown>;

/** Receives a socket's data in place of its stream. */
export interface SocketReader {
  bytes(chunk: Uint8Array): void;
  end(): void;
}

export function makeHttpSocket(kernel: Kernel) {
  const { Duplex } = kernel.part('stream') as any;
  const { nextTick } = kernel.process as unknown as { nextTick: (job, ...args) => void };
  // Real timers, because a test's fake clock might never advance.
  const timers = kernel.builtin('timers')?.() as unknown as Timers;

  return class HttpSocket extends Duplex {
    readonly remoteAddress: string;
    readonly remoteFamily: 'IPv4' | 'IPv6';
    readonly localAddress: string;
    readonly localFamily: 'IPv4' | 'IPv6';
    readonly connecting = false;
    readonly pending = false;
    readonly readyState = 'open';
    readonly localPort: number;
    readonly remotePort: number;
    timeout = 0;
    /** While this is set, the stream gets no data. */
    reader: SocketReader | undefined;
    #timer: unknown;
    /** The other end, once the connection has left HTTP. */
    #peer: HttpSocket | undefined;
    #isEnded = false;
    /** Functions that the other end calls. */
    readonly #reached = kernel.asyncContext.offer({
      receive: (chunk: Uint8Array, callback: Callback) => this.#receive(chunk, callback),
      end: () => this.#takeEnd(),
    });
    /** Called once the received bytes have been read. */
    #written: Callback | undefined;
    /** `listensAt` is the address at which a server's side listens. */
    constructor(localPort: number, remotePort: number, listensAt?: string) {
      // As in Node, a client ends its side when the server has ended its own.
      super({ allowHalfOpen: listensAt !== undefined });
      // A server for both families sees an address of IPv4 as one of IPv6.
      const isBoth = listensAt === '::';
      this.remoteAddress = this.localAddress = isBoth ? '::ffff:127.0.0.1' : '127.0.0.1';
      this.remoteFamily = this.localFamily = isBoth ? 'IPv6' : 'IPv4';
      this.localPort = localPort;
      this.remotePort = remotePort;
    }
    /** As in Node, the `close` event tells whether an error was the cause. */
    emit(name: unknown, ...args: unknown[]) {
      const isClose = name === 'close' && args.length === 0;
      return super.emit(name, ...(isClose ? [Boolean(this.errored)] : args));
    }
    /** Restarts the timeout, because data has passed. */
    touch() {
      timers.clearTimeout(this.#timer);
      if (this.timeout > 0 && !this.destroyed)
        this.#timer = timers.setTimeout(() => this.emit('timeout'), this.timeout);
    }
    setTimeout(time: number, callback?: () => void) {
      this.timeout = time;
      if (callback && time > 0) this.once('timeout', callback);
      this.touch();
      return this;
    }
    /** Connects two sockets: what one writes, the other reads. */
    connectWith(peer: HttpSocket) {
      this.#peer = peer;
      peer.#peer = this;
    }
    _read() {
      const callback = this.#written;
      this.#written = undefined;
      callback?.();
    }
    _write(chunk: Uint8Array, _encoding: string, callback: Callback) {
      const peer = this.#peer;
      if (peer === undefined) {
        callback(
          kernel.coded(
            Error,
            'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM',
            "There are no sockets in this sandbox, so a request's own takes no bytes: write to the request or the response.",
          ),
        );
        return;
      }
      this.touch();
      // Copies the chunk, because its reader may modify it, as parsers of frames do.
      const own = kernel.Buffer.from(chunk);
      nextTick(peer.#reached.receive, own, callback);
    }
    _final(callback: Callback) {
      this.#endPeer();
      callback();
    }
    _destroy(error: unknown, callback: Callback) {
      timers.clearTimeout(this.#timer);
      this._read();
      this.#endPeer();
      callback(error);
    }
    #receive(chunk: Uint8Array, callback: Callback) {
      if (this.destroyed) {
        callback(kernel.coded(Error, 'EPIPE', 'write EPIPE'));
        return;
      }
      this.touch();
      if (this.reader) {
        this.reader.bytes(chunk);
        callback();
        return;
      }
      // Set first, because the reader may ask for more data during `push`.
      this.#written = callback;
      if (this.push(chunk)) this._read();
    }
    #endPeer() {
      const peer = this.#peer;
      if (peer) nextTick(peer.#reached.end);
    }
    #takeEnd() {
      if (this.destroyed || this.#isEnded) return;
      this.#isEnded = true;
      this.reader?.end();
      this.push(null);
      // Starts reading, so that the end is noticed even if nobody reads, as in Node.
      this.read(0);
    }
    address() {
      return { address: this.localAddress, family: this.localFamily, port: this.localPort };
    }
    setKeepAlive() {
      return this;
    }
    setNoDelay() {
      return this;
    }
    ref() {
      return this;
    }
    unref() {
      return this;
    }
  };
}
