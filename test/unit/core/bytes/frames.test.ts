// What crosses between isolates: it comes as it was sent, however the stream is cut into pieces.
import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { encodeFrame, readFrames } from '../../../../src/core/bytes/frames.ts';

function streamOf(bytes: Uint8Array, pieceLength: number): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(sink) {
      for (let at = 0; at < bytes.length; at += pieceLength) {
        sink.enqueue(bytes.slice(at, at + pieceLength));
      }
      sink.close();
    },
  });
}

async function read(bytes: Uint8Array, pieceLength = 7): Promise<unknown[]> {
  const messages: unknown[] = [];
  for await (const message of readFrames(streamOf(bytes, pieceLength))) messages.push(message);
  return messages;
}

function join(...frames: Uint8Array[]): Uint8Array {
  return Uint8Array.from(frames.flatMap((frame) => [...frame]));
}

const text = fc.oneof(
  fc.string(),
  fc.constantFrom('\u0000', '\u0000bytes:0:3', '\u0000text:', '\u0000text:\u0000bytes:1:1'),
);
const leaf = fc.oneof(
  text,
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.uint8Array({ maxLength: 20 }),
);
// None with a backslash in it: after such a key Node 24's JSON.parse may take "\\n" for it.
const key = fc.constantFrom('', 'a', 'key', '\u0000bytes:0:3');
const { message } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie('value')), tie('message')),
  message: fc.dictionary(key, tie('value'), { noNullPrototype: true }),
}));

describe('a frame', () => {
  it('brings plain data and bytes as they were, and no text of theirs is taken for bytes', async () => {
    await fc.assert(
      fc.asyncProperty(message, message, fc.integer({ min: 1, max: 50 }), async (a, b, length) => {
        const frames = [encodeFrame(a as object), encodeFrame(b as object)];
        expect(await read(join(...frames), length)).toEqual([a, b]);
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    ['a function', { run: () => {} }, 'It holds a function.'],
    ['a date', { at: new Date(0) }, 'It holds a Date.'],
    ['a map', { map: new Map() }, 'It holds a Map.'],
    ['a number that JSON lacks', { ratio: 0 / 0 }, 'It holds the number NaN.'],
    ['a hole', { list: [undefined] }, 'It holds an undefined in an array.'],
  ])('refuses %s', (_what, value, reason) => {
    expect(() => encodeFrame(value)).toThrow(
      expect.objectContaining({ code: 'invalid-input', message: expect.stringContaining(reason) }),
    );
  });

  it('refuses what goes round in a circle', () => {
    const circle: { self?: object } = {};
    circle.self = circle;
    expect(() => encodeFrame(circle)).toThrow(expect.objectContaining({ code: 'invalid-input' }));
  });

  it('says so where its stream ends too early', async () => {
    const frame = encodeFrame({ text: 'all of it' });
    for (const end of [3, frame.length - 1]) {
      await expect(read(frame.subarray(0, end))).rejects.toMatchObject({ code: 'worker-lost' });
    }
  });

  it('is read neither above its limit nor where it holds no JSON', async () => {
    const large = new Uint8Array(8).fill(0xff);
    await expect(read(large)).rejects.toMatchObject({ code: 'limit-exceeded' });
    await expect(read(Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0, 0x7b))).rejects.toMatchObject({
      code: 'invalid-input',
    });
  });

  it('is copied once, however many messages one piece of its stream has', async () => {
    const frame = encodeFrame({ type: 'progress' });
    const stream = join(...Array.from({ length: 50 }, () => frame));
    const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as Uint8Array;
    const copying = vi.spyOn(typedArray, 'set');
    try {
      expect(await read(stream, stream.length)).toHaveLength(50);
      const copied = copying.mock.calls.reduce((sum, [bytes]) => sum + bytes.length, 0);
      expect(copied).toBe(stream.length);
    } finally {
      copying.mockRestore();
    }
  });

  it('is cancelled by a signal that was aborted before it is read', async () => {
    const cancel = vi.fn<() => void>();
    const silent = new ReadableStream<Uint8Array>({ cancel });
    const messages = readFrames(silent, AbortSignal.abort());
    expect(await messages.next()).toEqual({ done: true, value: undefined });
    expect(cancel).toHaveBeenCalledOnce();
  });
});
