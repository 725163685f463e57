// The binary form of messages between isolates and over a wire, where nothing is cloned. It has
// plain data as JSON, and after it the byte arrays of the data. All numbers are little-endian:
//
//   u32 length of the JSON, u32 length of the bytes, JSON, bytes
//
// In the JSON a byte array is a text that gives its position. Security: a text of the data that begins like one gets
// an escape character in front, so that the model can't write such a reference.
import { SdkError } from '../errors.ts';

const headerBytes = 8;
// 64 MB: half of what an isolate may take in all.
const maxFrameBytes = 67_108_864;

const mark = '\u0000';
const bytesMark = `${mark}bytes:`;
const textMark = `${mark}text:`;

/**
 * One message. Objects, arrays, texts, finite numbers, booleans, null and `Uint8Array`s cross; a key
 * whose value is undefined is left out. Inverse: {@link readFrames}.
 *
 * @throws SdkError `invalid-input` for anything else, `limit-exceeded` above 64 MB.
 */
export function encodeFrame(message: object): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = [];
  let bytesLength = 0;
  function replace(this: Readonly<Record<string, unknown>>, key: string): unknown {
    // Not the second argument: of an object with a `toJSON` that is another value.
    const value = this[key];
    if (typeof value === 'string') return value.startsWith(mark) ? textMark + value : value;
    if (value instanceof Uint8Array) {
      pieces.push(value);
      const place = `${bytesMark}${bytesLength}:${value.length}`;
      bytesLength += value.length;
      return place;
    }
    checkPlain(value, Array.isArray(this));
    return value;
  }
  const json = new TextEncoder().encode(stringify(message, replace));
  const frame = new Uint8Array(checkLength(headerBytes + json.length + bytesLength));
  const view = new DataView(frame.buffer);
  view.setUint32(0, json.length, true);
  view.setUint32(4, bytesLength, true);
  frame.set(json, headerBytes);
  let at = headerBytes + json.length;
  for (const piece of pieces) {
    frame.set(piece, at);
    at += piece.length;
  }
  return frame;
}

/**
 * The messages of a stream, each when it is whole. Bytes in them are views of the frame. Inverse:
 * {@link encodeFrame}. Whoever stops reading before the end, or aborts, cancels the stream. Aborted
 * between two messages it ends, as a stream does that has no more.
 *
 * @throws SdkError `worker-lost` if the stream ends within a frame. `limit-exceeded` for a frame
 * above 64 MB. `invalid-input` for an invalid frame
 */
export async function* readFrames(
  stream: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<unknown, void, undefined> {
  const reader = stream.getReader();
  const queue = new ByteQueue();
  // Does nothing to a stream that has ended or failed.
  const cancel = () => void reader.cancel().catch(() => {});
  if (signal?.aborted) cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    for (;;) {
      const header = await take(reader, queue, headerBytes);
      if (!header) return;
      const view = new DataView(header.buffer, header.byteOffset, headerBytes);
      const jsonLength = view.getUint32(0, true);
      const length = checkLength(jsonLength + view.getUint32(4, true));
      const body = await take(reader, queue, length);
      if (!body) throw cutError();
      yield decode(body.subarray(0, jsonLength), body.subarray(jsonLength));
    }
  } finally {
    signal?.removeEventListener('abort', cancel);
    cancel();
  }
}

/** Undefined at the end of the stream. */
async function take(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  queue: ByteQueue,
  length: number,
): Promise<Uint8Array | undefined> {
  while (queue.length < length) {
    const { done, value } = await reader.read();
    if (!done) queue.push(value);
    else if (queue.length === 0) return undefined;
    else throw cutError();
  }
  return queue.shift(length);
}

/** The received bytes that weren't consumed. */
class ByteQueue {
  readonly #pieces: Uint8Array[] = [];
  length = 0;

  push(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.length += piece.length;
  }

  /** The first so many bytes, which must be here, in one piece. */
  shift(length: number): Uint8Array {
    const taken = new Uint8Array(length);
    for (let at = 0; at < length;) {
      const [piece] = this.#pieces;
      if (!piece) throw new RangeError('More is taken than has come.');
      const part = piece.subarray(0, length - at);
      taken.set(part, at);
      at += part.length;
      if (part.length === piece.length) this.#pieces.shift();
      else this.#pieces[0] = piece.subarray(part.length);
    }
    this.length -= length;
    return taken;
  }
}

/**
 * The message of a complete frame. Its bytes are views of the frame. Inverse: {@link encodeFrame}.
 *
 * @throws SdkError `invalid-input` for an invalid frame
 */
export function decodeFrame(frame: Uint8Array): unknown {
  if (frame.length < headerBytes) throw noMessage();
  const view = new DataView(frame.buffer, frame.byteOffset, headerBytes);
  const jsonEnd = headerBytes + view.getUint32(0, true);
  if (jsonEnd + view.getUint32(4, true) !== frame.length) throw noMessage();
  return decode(frame.subarray(headerBytes, jsonEnd), frame.subarray(jsonEnd));
}

function decode(json: Uint8Array, bytes: Uint8Array): unknown {
  const revive = (_key: string, value: unknown): unknown => {
    if (typeof value !== 'string' || !value.startsWith(mark)) return value;
    if (value.startsWith(textMark)) return value.slice(textMark.length);
    const [, offset = 0, length = 0] = value.split(':').map(Number);
    return bytes.subarray(offset, offset + length);
  };
  try {
    return JSON.parse(new TextDecoder().decode(json), revive);
  } catch (error) {
    throw noMessage(error);
  }
}

function noMessage(cause?: unknown): SdkError {
  return new SdkError('invalid-input', 'What the other side sent is no message.', { cause });
}

function stringify(
  message: object,
  replace: (this: Readonly<Record<string, unknown>>, key: string) => unknown,
): string {
  try {
    return JSON.stringify(message, replace);
  } catch (error) {
    throw SdkError.isInstance(error) ? error : refusal(String(error), error);
  }
}

function checkPlain(value: unknown, isInArray: boolean): void {
  switch (typeof value) {
    case 'boolean':
      return;
    case 'number':
      if (!Number.isFinite(value)) throw refusal(`It holds the number ${value}.`);
      return;
    case 'undefined':
      if (isInArray) throw refusal('It holds an undefined in an array.');
      return;
    case 'object': {
      if (value === null || Array.isArray(value)) return;
      const prototype: unknown = Object.getPrototypeOf(value);
      if (prototype === null || prototype === Object.prototype) return;
      throw refusal(`It holds a ${value.constructor.name}.`);
    }
    default:
      throw refusal(`It holds a ${typeof value}.`);
  }
}

function checkLength(length: number): number {
  if (length <= maxFrameBytes) return length;
  throw new SdkError(
    'limit-exceeded',
    `What was to cross to the other side has ${length} bytes; at most ${maxFrameBytes} may.`,
    { data: { length, maxFrameBytes } },
  );
}

function refusal(what: string, cause?: unknown): SdkError {
  return new SdkError(
    'invalid-input',
    `This can't cross to the other side, to which only plain data and Uint8Arrays do. ${what}`,
    { cause },
  );
}

function cutError(): SdkError {
  return new SdkError('worker-lost', 'The other side ended in the middle of a message.');
}
