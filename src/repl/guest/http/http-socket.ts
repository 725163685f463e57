// What stands for the socket of one request: addresses, time-outs, and its end. No bytes of its own go through.
import type { Kernel } from '../kernel-type.ts';
import type { Callback } from '../streams/stream-side.ts';

type Timers = Record<'setTimeout' | 'clearTimeout', (...args) => unknown>;

export function makeHttpSocket(kernel: Kernel) {
  const { Duplex } = kernel.part('stream') as any;
  // Those of a test's fake clock would never come.
  const timers = kernel.builtin('timers')?.() as unknown as Timers;

  return class HttpSocket extends Duplex {
    readonly remoteAddress = '127.0.0.1';
    readonly remoteFamily = 'IPv4';
    readonly localAddress = '127.0.0.1';
    readonly localFamily = 'IPv4';
    readonly connecting = false;
    readonly pending = false;
    readonly readyState = 'open';
    readonly localPort: number;
    readonly remotePort: number;
    timeout = 0;
    #timer: unknown;
    constructor(localPort: number, remotePort: number) {
      super({ read() {} });
      this.localPort = localPort;
      this.remotePort = remotePort;
    }
    /** Something went through: its time begins anew. */
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
    _write(_chunk: unknown, _encoding: string, callback: Callback) {
      callback(
        kernel.coded(
          Error,
          'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM',
          "There are no sockets in this sandbox, so a request's own takes no bytes: write to the request or the response.",
        ),
      );
    }
    _destroy(error: unknown, callback: Callback) {
      timers.clearTimeout(this.#timer);
      callback(error);
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
