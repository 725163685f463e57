// http.IncomingMessage: a request as a server reads it, or a response as a client does.
import type { Kernel } from '../kernel-type.ts';
import type { Callback, Stream } from '../streams/stream-side.ts';
import { distinctHeaders, joinHeaders } from './headers.ts';

/**
 * The sockets of a connection hold so much beside both streams, about as much as Linux's on
 * loopback.
 */
const onTheWay = 1024 * 1024;

const waiting = Symbol('callback');

/** Returns the class, and how its body gets in. */
export function makeIncomingMessage(kernel: Kernel) {
  const { Readable } = kernel.part('stream');

  // A function, as programs of old inherit from it.
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
      // As in Node, nobody is told without a listener.
      const isTold = error !== null && this.listenerCount('error') > 0;
      callback(isTold ? error : null);
    },
    setTimeout(this: Stream, time: number, callback?: () => void) {
      this.socket?.setTimeout?.(time, callback);
      return this;
    },
    /** Lets the body go that nobody reads. */
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
        // Trailers come at the end.
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
    /** Hands over a piece of the body. The callback is called when more may come. */
    deliver(message: Stream, chunk, callback: Callback) {
      // The reader may ask for more within push.
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
    /** The other side has gone before the end. */
    breakOff(message: Stream) {
      if (message.complete || message.destroyed) return;
      message.destroy(kernel.coded(Error, 'ECONNRESET', 'aborted'));
    },
  };
}

export type Incoming = ReturnType<typeof makeIncomingMessage>;
