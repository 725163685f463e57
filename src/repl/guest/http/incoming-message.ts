// http.IncomingMessage: a request on the server's side, or a response on the client's.
import type { Kernel } from '../kernel-type.ts';
import type { Callback, Stream } from '../streams/stream-side.ts';
import { distinctHeaders, joinHeaders } from './headers.ts';

/**
 * 1 MB: how much a connection buffers in addition to both streams. Linux holds about as much on
 * loopback.
 */
const onTheWay = 1024 * 1024;

const waiting = Symbol('callback');

/** Returns the class, and functions that feed its body. */
export function makeIncomingMessage(kernel: Kernel) {
  const { Readable } = kernel.part('stream');

  // A function and not a class, because old programs inherit by calling it.
  function IncomingMessage(this: Stream, socket) {
    Readable.call(this);
    Object.assign(this, {
      socket,
      httpVersionMajor: 1,
      httpVersionMinor: 1,
      httpVersion: '1.1',
      url: '',
      method: null,
      statusCode: null,
      statusMessage: null,
      rawHeaders: [],
      rawTrailers: [],
      complete: false,
      aborted: false,
    });
  }
  Object.setPrototypeOf(IncomingMessage.prototype, Readable.prototype);
  Object.setPrototypeOf(IncomingMessage, Readable);
  Object.assign(IncomingMessage.prototype, {
    _read(this: Stream) {
      const callback = this[waiting];
      this[waiting] = undefined;
      callback?.();
    },
    _destroy(this: Stream, error, callback: Callback) {
      this._read();
      if (!this.complete || !this.readableEnded) {
        this.aborted = true;
        this.emit('aborted');
      }
      // As in Node, an error without a listener is dropped.
      const isTold = error !== null && this.listenerCount('error') > 0;
      callback(isTold ? error : null);
    },
    setTimeout(this: Stream, time: number, callback?: () => void) {
      this.socket?.setTimeout?.(time, callback);
      return this;
    },
    /** Discards the body if nobody reads it. */
    _dump(this: Stream) {
      this.resume();
    },
  });

  const read: Record<string, (message: Stream) => unknown> = {
    headers: ({ rawHeaders }) => joinHeaders(rawHeaders),
    headersDistinct: ({ rawHeaders }) => distinctHeaders(rawHeaders),
    trailers: ({ rawTrailers }) => joinHeaders(rawTrailers),
    trailersDistinct: ({ rawTrailers }) => distinctHeaders(rawTrailers),
  };
  for (const [name, get] of Object.entries(read)) {
    const put = (message: Stream, value: unknown) => {
      Object.defineProperty(message, name, {
        value,
        writable: true,
        enumerable: true,
        configurable: true,
      });
      return value;
    };
    Object.defineProperty(IncomingMessage.prototype, name, {
      configurable: true,
      get(this: Stream) {
        const value = get(this);
        // Trailers are only final at the end, so they aren't cached earlier.
        return name.startsWith('trailers') && !this.complete ? value : put(this, value);
      },
      set(this: Stream, value) {
        put(this, value);
      },
    });
  }
  Object.defineProperty(IncomingMessage.prototype, 'connection', {
    configurable: true,
    get(this: Stream) {
      return this.socket;
    },
    set(this: Stream, socket) {
      this.socket = socket;
    },
  });

  return {
    IncomingMessage,
    /** Delivers a part of the body. The callback is called when more may follow. */
    deliver(message: Stream, chunk, callback: Callback) {
      // Set first, because the reader may ask for more data during `push`.
      message[waiting] = callback;
      if (message.destroyed || message.push(chunk) || message.readableLength < onTheWay)
        message._read();
    },
    /** Ends the body. */
    complete(message: Stream, rawTrailers: string[]) {
      message.rawTrailers = rawTrailers;
      message.complete = true;
      if (!message.destroyed) message.push(null);
    },
    /** Called if the other side has gone before the end. */
    breakOff(message: Stream) {
      if (message.complete || message.destroyed) return;
      message.destroy(kernel.coded(Error, 'ECONNRESET', 'aborted'));
    },
  };
}

export type Incoming = ReturnType<typeof makeIncomingMessage>;
