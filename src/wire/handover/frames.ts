// A message of a move as bytes: JSON and the bytes that it bears, gzipped. One request of HTTP has one, and its answer
// has one.
import { SdkError } from '../../core/errors.ts';
import { isRecord } from '../../core/is-record.ts';

/** 8 MiB of contents a message; one that is larger by itself goes alone. */
export const maxMessageBytes = 8_388_608;

/** What a message may unpack to: the largest file that a place takes, and the list of its files. */
const maxUnpackedBytes = 1_200_000_000;

/** Inverse: {@link decodeFrame}. */
export async function encodeFrame(
  fields: unknown,
  blobs: readonly Uint8Array[] = [],
): Promise<Uint8Array<ArrayBuffer>> {
  const lengths = blobs.map(({ length }) => length);
  const head = new TextEncoder().encode(JSON.stringify({ fields, lengths }));
  const size = new Uint8Array(4);
  new DataView(size.buffer).setUint32(0, head.length);
  return pipe([size, head, ...blobs], new CompressionStream('gzip'));
}

/** A frame, read. */
export interface DecodedFrame {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly blobs: readonly Uint8Array<ArrayBuffer>[];
}

/**
 * Security: it came from outside. `limit`: bytes that it may unpack to.
 *
 * @throws SdkError `invalid-input` for what is none.
 */
export async function decodeFrame(
  bytes: Uint8Array<ArrayBuffer>,
  limit = maxUnpackedBytes,
): Promise<DecodedFrame> {
  try {
    const whole = await pipe([bytes], new DecompressionStream('gzip'), limit);
    const size = new DataView(whole.buffer, whole.byteOffset).getUint32(0);
    const head: unknown = JSON.parse(new TextDecoder().decode(whole.subarray(4, 4 + size)));
    if (!isRecord(head) || !isRecord(head['fields']) || !Array.isArray(head['lengths'])) {
      throw new TypeError('It has no head.');
    }
    let at = 4 + size;
    const blobs = (head['lengths'] as number[]).map((length) => {
      const blob = whole.slice(at, at + length);
      if (blob.length !== length) throw new TypeError('It was cut.');
      at += length;
      return blob;
    });
    return { fields: head['fields'], blobs };
  } catch (cause) {
    throw new SdkError('invalid-input', 'This is no message of a move. Nothing was changed.', {
      cause,
    });
  }
}

async function pipe(
  parts: readonly Uint8Array[],
  through: CompressionStream | DecompressionStream,
  limit = Infinity,
): Promise<Uint8Array<ArrayBuffer>> {
  const source = new Blob(parts as Uint8Array<ArrayBuffer>[]).stream();
  const reader = source.pipeThrough(through).getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    length += next.value.length;
    // Security: a few bytes may unpack to more than there is room for.
    if (length > limit) throw new TypeError('It is too large.');
    chunks.push(next.value);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
