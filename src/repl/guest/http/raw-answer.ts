// Parses the answer to an upgrade, which the server writes to the raw socket: an HTTP head, and a
// body if it refuses.
import type { Stream } from '../streams/stream-side.ts';
import type { SocketReader } from './http-socket.ts';
import { joinHeaders, type RawHeaders } from './headers.ts';

interface AnswerHead {
  readonly status: number;
  readonly text: string;
  readonly rawHeaders: RawHeaders;
}

export interface AnswerListener {
  toBuffer(bytes: Uint8Array<ArrayBuffer>): { toString(encoding: string): string };
  /**
   * Returns the message that receives the body. Undefined if all further bytes belong to the
   * upgraded socket.
   */
  head(head: AnswerHead, rest: Uint8Array<ArrayBuffer>): Stream | undefined;
  body(message: Stream, chunk: Uint8Array): void;
  complete(message: Stream): void;
  /** Called if the socket ends before the answer does, or if the bytes aren't a valid answer. */
  lose(error?: Error): void;
}

/** Node's limit for a head. */
const maxHead = 16_384;

export function readRawAnswer(listener: AnswerListener): SocketReader {
  let before = new Uint8Array(0);
  let message: Stream | undefined;
  /** Remaining bytes of the body. Infinity if the body ends with the socket. */
  let left = Infinity;

  function readBody(chunk: Uint8Array): void {
    if (message === undefined || left === 0) return;
    const own = chunk.subarray(0, Math.min(left, chunk.length));
    left -= own.length;
    if (own.length > 0) listener.body(message, own);
    if (left === 0) listener.complete(message);
  }

  function readHead(): void {
    const text = listener.toBuffer(before).toString('latin1');
    const end = text.indexOf('\r\n\r\n');
    if (end === -1 && before.length <= maxHead) return;
    const [first = '', ...lines] = text.slice(0, Math.max(end, 0)).split('\r\n');
    const found = /^HTTP\/1\.[01] (\d{3}) ?(.*)$/.exec(first);
    if (found === null) {
      const error = new Error(
        'Parse Error: what the server wrote to its socket is no head of HTTP',
      );
      listener.lose(Object.assign(error, { code: 'HPE_INVALID_CONSTANT' }));
      return;
    }
    const rawHeaders = lines.flatMap((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    });
    const rest = before.slice(end + 4);
    const headers = joinHeaders(rawHeaders);
    if (headers['transfer-encoding'] !== undefined) {
      const error = new Error('Parse Error: a raw answer has no transfer encoding in this sandbox');
      listener.lose(Object.assign(error, { code: 'HPE_INVALID_TRANSFER_ENCODING' }));
      return;
    }
    if (headers['content-length'] !== undefined) left = Number(headers['content-length']);
    const [, status, reason = ''] = found;
    message = listener.head({ status: Number(status), text: reason, rawHeaders }, rest);
    if (message !== undefined && left === 0) listener.complete(message);
    readBody(rest);
  }

  return {
    bytes(chunk) {
      if (message !== undefined) {
        readBody(chunk);
        return;
      }
      const both = new Uint8Array(before.length + chunk.length);
      both.set(before);
      both.set(chunk, before.length);
      before = both;
      readHead();
    },
    end() {
      if (message === undefined || (left > 0 && left < Infinity)) listener.lose();
      else if (left === Infinity) listener.complete(message);
    },
  };
}
