// http.OutgoingMessage and http.ServerResponse: the headers of a message, and its body piece by
// piece.
import type { Kernel } from '../kernel-type.ts';
import { defineShown, toChunk, type Callback, type Stream } from '../streams/stream-side.ts';
import { makeHeaderChecks, type RawHeaders } from './headers.ts';
import { statusTexts } from './http-names.ts';

/** The destination of a message. Each callback is called when more data may follow. */
export interface Receiver {
  head(message: Stream): void;
  body(chunk: Uint8Array, callback: Callback): void;
  end(rawTrailers: RawHeaders, callback: Callback): void;
}

const receiver = Symbol('receiver');
const headers = Symbol('headers');
const isHeadOut = Symbol('isHeadOut');
const waiting = Symbol('waiting');

export function makeOutgoingMessage(kernel: Kernel) {
  const { Writable } = kernel.part('stream');
  const { validateHeaderName, validateHeaderValue } = makeHeaderChecks(kernel);

  function OutgoingMessage(this: Stream) {
    Writable.call(this, { autoDestroy: false });
    Object.assign(this, {
      [headers]: new Map<string, [string, unknown]>(),
      [isHeadOut]: false,
      [receiver]: undefined,
      [waiting]: [],
      _header: null,
      _hasBody: true,
      _contentLength: null,
      _removedConnection: false,
      _removedContLen: false,
      _removedTE: false,
      _trailers: [],
      chunkedEncoding: false,
      maySendLength: true,
      sendDate: false,
      shouldKeepAlive: true,
      socket: null,
    });
  }
  Object.setPrototypeOf(OutgoingMessage.prototype, Writable.prototype);
  Object.setPrototypeOf(OutgoingMessage, Writable);

  function refuseSent(message: Stream, doing: string) {
    if (message._header === null) return;
    throw kernel.coded(
      Error,
      'ERR_HTTP_HEADERS_SENT',
      'Cannot ' + doing + ' headers after they are sent to the client',
    );
  }

  /** Runs `run` as soon as the message has a destination. */
  function whenReceived(message: Stream, run: (to: Receiver) => void) {
    const to: Receiver | undefined = message[receiver];
    if (to === undefined) {
      message[waiting].push(run);
      return;
    }
    if (!message[isHeadOut]) {
      message[isHeadOut] = true;
      to.head(message);
    }
    run(to);
  }

  Object.assign(OutgoingMessage.prototype, {
    setHeader(this: Stream, name, value) {
      refuseSent(this, 'set');
      validateHeaderName(name);
      for (const each of Array.isArray(value) ? value : [value]) validateHeaderValue(name, each);
      this[headers].set(name.toLowerCase(), [name, value]);
      return this;
    },
    setHeaders(this: Stream, values: Iterable<[string, unknown]>) {
      refuseSent(this, 'set');
      for (const [name, value] of values) {
        // Each cookie is a header of its own.
        if (name.toLowerCase() === 'set-cookie') this.appendHeader(name, value);
        else this.setHeader(name, value);
      }
      return this;
    },
    appendHeader(this: Stream, name, value) {
      refuseSent(this, 'append');
      validateHeaderName(name);
      const before = this[headers].get(name.toLowerCase());
      if (before === undefined) return this.setHeader(name, value);
      return this.setHeader(before[0], [before[1], value].flat());
    },
    getHeader(this: Stream, name) {
      return this[headers].get(String(name).toLowerCase())?.[1];
    },
    getHeaderNames(this: Stream) {
      return [...this[headers].keys()];
    },
    getRawHeaderNames(this: Stream) {
      return [...this[headers].values()].map(([name]) => name);
    },
    getHeaders(this: Stream) {
      const shown = Object.create(null);
      for (const [key, [, value]] of this[headers]) shown[key] = value;
      return shown;
    },
    hasHeader(this: Stream, name) {
      return this[headers].has(String(name).toLowerCase());
    },
    removeHeader(this: Stream, name) {
      refuseSent(this, 'remove');
      const key = String(name).toLowerCase();
      this[headers].delete(key);
      if (key === 'connection') this._removedConnection = true;
      else if (key === 'content-length') this._removedContLen = true;
      else if (key === 'transfer-encoding') this._removedTE = true;
      else if (key === 'date') this.sendDate = false;
    },
    addTrailers(this: Stream, trailers) {
      for (const [name, value] of Array.isArray(trailers) ? trailers : Object.entries(trailers)) {
        validateHeaderName(name, 'Trailer name');
        validateHeaderValue(name, value);
        this._trailers.push(name, String(value));
      }
    },
    /** Fixes the head. Headers can't change any more. */
    _storeHeader(this: Stream, firstLine: string) {
      const raw: RawHeaders = [];
      for (const [name, value] of this[headers].values()) {
        const values = Array.isArray(value) ? value : [value];
        if (/^cookie$/i.test(name)) raw.push(name, values.join('; '));
        else for (const each of values) raw.push(name, String(each));
      }
      if (this.sendDate && !this.hasHeader('date')) raw.push('Date', new Date().toUTCString());
      if (!this.hasHeader('connection') && !this._removedConnection) {
        if (this.shouldKeepAlive) {
          raw.push('Connection', 'keep-alive');
          if (this._keepAliveSeconds !== undefined)
            raw.push('Keep-Alive', 'timeout=' + this._keepAliveSeconds);
        } else raw.push('Connection', 'close');
      }
      const isChunked = /\bchunked\b/i.test(String(this.getHeader('transfer-encoding') ?? ''));
      this.chunkedEncoding = isChunked && this._hasBody;
      const saysLength = this.hasHeader('content-length') || this.hasHeader('transfer-encoding');
      if (!saysLength && this._hasBody && this.maySendLength) {
        if (typeof this._contentLength === 'number' && !this._removedContLen)
          raw.push('Content-Length', String(this._contentLength));
        else if (!this._removedTE) {
          raw.push('Transfer-Encoding', 'chunked');
          this.chunkedEncoding = true;
        }
      }
      this.rawHead = raw;
      this._header = firstLine + '\r\n';
      for (let at = 0; at < raw.length; at += 2)
        this._header += raw[at] + ': ' + raw[at + 1] + '\r\n';
      this._header += '\r\n';
    },
    _implicitHeader() {
      throw kernel.coded(
        Error,
        'ERR_METHOD_NOT_IMPLEMENTED',
        'The _implicitHeader() method is not implemented',
      );
    },
    flushHeaders(this: Stream) {
      if (this._header === null) this._implicitHeader();
      whenReceived(this, () => {});
    },
    write(this: Stream, chunk, encoding, callback) {
      if (this._header === null && !this.writableEnded && !this.destroyed) {
        this._contentLength = null;
        this._implicitHeader();
      }
      return Writable.prototype.write.call(this, chunk, encoding, callback);
    },
    end(this: Stream, chunk?, encoding?, callback?) {
      if (this._header === null && !this.destroyed) {
        const isData = chunk !== undefined && chunk !== null && typeof chunk !== 'function';
        const text = typeof encoding === 'string' ? encoding : undefined;
        const bytes = isData ? (toChunk(kernel, chunk, text) as Uint8Array | undefined) : undefined;
        this._contentLength = bytes?.length ?? 0;
        this._implicitHeader();
      }
      return Writable.prototype.end.call(this, chunk, encoding, callback);
    },
    _write(this: Stream, chunk, _encoding, callback: Callback) {
      whenReceived(this, (to) => {
        // Responses without a body, such as to HEAD, drop written data.
        if (this._hasBody) to.body(chunk, callback);
        else callback();
      });
    },
    _final(this: Stream, callback: Callback) {
      whenReceived(this, (to) => to.end(this._trailers, callback));
    },
    /** Sets the destination, and sends buffered data to it. */
    sendTo(this: Stream, to: Receiver) {
      this[receiver] = to;
      for (const run of this[waiting].splice(0)) whenReceived(this, run);
    },
    setTimeout(this: Stream, time: number, callback?: () => void) {
      if (callback) this.once('timeout', callback);
      if (this.socket) this.socket.setTimeout(time, () => this.emit('timeout'));
      else this.once('socket', (socket) => socket.setTimeout(time, () => this.emit('timeout')));
      return this;
    },
  });
  defineShown(OutgoingMessage.prototype, {
    headersSent: (message) => message._header !== null,
    finished: (message) => message.writableEnded,
    connection: (message) => message.socket,
  });

  function ServerResponse(this: Stream, request) {
    OutgoingMessage.call(this);
    Object.assign(this, {
      req: request,
      statusCode: 200,
      statusMessage: undefined,
      sendDate: true,
      _hasBody: request?.method !== 'HEAD',
      shouldKeepAlive: !/\bclose\b/i.test(String(request?.headers?.connection ?? '')),
      _keepAliveSeconds: 5,
    });
  }
  Object.setPrototypeOf(ServerResponse.prototype, OutgoingMessage.prototype);
  Object.setPrototypeOf(ServerResponse, OutgoingMessage);
  Object.assign(ServerResponse.prototype, {
    _implicitHeader(this: Stream) {
      this.writeHead(this.statusCode);
    },
    writeHead(this: Stream, status, message?, given?) {
      refuseSent(this, 'write');
      const code = Number(status) | 0;
      if (code < 100 || code > 999)
        throw kernel.coded(
          RangeError,
          'ERR_HTTP_INVALID_STATUS_CODE',
          'Invalid status code: ' + String(status),
        );
      this.statusCode = code;
      if (typeof message === 'string') this.statusMessage = message;
      else this.statusMessage ??= statusTexts[code] ?? 'unknown';
      validateHeaderValue('statusMessage', this.statusMessage);
      putHeaders(this, typeof message === 'string' ? given : (message ?? given));
      if (code === 204 || code === 304 || code < 200) this._hasBody = false;
      this._storeHeader('HTTP/1.1 ' + code + ' ' + this.statusMessage);
      return this;
    },
    writeContinue(this: Stream, callback?: () => void) {
      this.inform?.(100, {});
      callback?.();
    },
    writeProcessing(this: Stream) {
      this.inform?.(102, {});
    },
    writeEarlyHints(this: Stream, hints, callback?: () => void) {
      this.inform?.(103, hints);
      callback?.();
    },
    assignSocket(this: Stream, socket) {
      this.socket = socket;
      socket._httpMessage = this;
      // A socket that the program itself made receives the message as HTTP/1.1 bytes.
      if (this[receiver] === undefined) this.sendTo(asText(socket));
    },
    detachSocket(this: Stream, socket) {
      socket._httpMessage = null;
      this.socket = null;
    },
  });
  ServerResponse.prototype.writeHeader = (ServerResponse.prototype as Stream).writeHead;

  /**
   * `given` is an object, a list of pairs, or a list of alternating names and values. Only the last
   * may repeat a name.
   */
  function putHeaders(message: Stream, given) {
    if (!Array.isArray(given)) {
      for (const name of Object.keys(given ?? {})) message.setHeader(name, given[name]);
      return;
    }
    if (Array.isArray(given[0])) {
      for (const [name, value] of given) message.setHeader(name, value);
      return;
    }
    for (let at = 0; at < given.length; at += 2) message.removeHeader(given[at]);
    for (let at = 0; at < given.length; at += 2) message.appendHeader(given[at], given[at + 1]);
  }

  /** Writes HTTP/1.1 bytes to a socket that the program made. */
  function asText(socket): Receiver {
    let isChunked = false;
    const put = (...pieces: unknown[]) => {
      for (const piece of pieces) socket.write(piece);
    };
    return {
      head(message) {
        isChunked = message.chunkedEncoding;
        put(message._header);
      },
      body(chunk, callback) {
        if (isChunked) put(chunk.length.toString(16) + '\r\n', chunk, '\r\n');
        else put(chunk);
        callback();
      },
      end(trailers, callback) {
        if (isChunked) {
          put('0\r\n');
          for (let at = 0; at < trailers.length; at += 2)
            put(trailers[at] + ': ' + trailers[at + 1] + '\r\n');
          put('\r\n');
        }
        callback();
      },
    };
  }

  return { OutgoingMessage, ServerResponse, putHeaders, validateHeaderName, validateHeaderValue };
}
