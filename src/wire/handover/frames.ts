// Serializes a message of a move: JSON and its bytes, gzipped. Each HTTP request and each answer
// has one.
import { SdkError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';

/** 8 MiB of contents per message; a larger content is sent alone. */
export const maxMessageBytes = 8_388_608;

/**
 * The limit of an unpacked message: the largest file that a place accepts, and the list of its
 * files.
 */
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

/** A parsed frame. */
export interface DecodedFrame {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly blobs: readonly Uint8Array<ArrayBuffer>[];
}

/**
 * Security: the bytes came from outside. `limit`: the most bytes that they may unpack to.
 *
 * @throws SdkError `invalid-input` if the bytes aren't a frame, `limit-exceeded` if it unpacks to
 * more
 */
export async function decodeFrame(
  bytes: Uint8Array<ArrayBuffer>,
  limit = maxUnpackedBytes,
): Promise<DecodedFrame> {
  if (unpackedSize(bytes) > limit) throw tooLarge(limit);
  try {
    const whole = await unpack(bytes);
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
  through: CompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const packed = new Blob(parts as Uint8Array<ArrayBuffer>[]).stream().pipeThrough(through);
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

/** The unpacked size that the end of a gzip file declares. 0: that size is impossible. */
function unpackedSize({ buffer, byteOffset, length }: Uint8Array<ArrayBuffer>): number {
  if (length < 4) return 0;
  const size = new DataView(buffer, byteOffset + length - 4).getUint32(0, true);
  // Security: the claimed size is allocated, so it must be possible. A gzip unpacks to less than
  // 1 100 times its size.
  return size > 1_100 * length ? 0 : size;
}

/**
 * Unpacks into one buffer of the declared size: collecting chunks would need another copy of a
 * large message.
 */
async function unpack(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const whole = new Uint8Array(unpackedSize(bytes));
  const reader = new Blob([bytes])
    .stream()
    .pipeThrough(new DecompressionStream('gzip'))
    .getReader();
  let at = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    // Security: the data may unpack to more than was declared. Then `set` throws.
    whole.set(next.value, at);
    at += next.value.length;
  }
  if (at < whole.length) throw new TypeError('It was cut.');
  return whole;
}

function tooLarge(limit: number): SdkError {
  return new SdkError(
    'limit-exceeded',
    `A message of a move has at most ${limit} bytes unpacked: a file or an entry is too large for this place. Nothing was changed.`,
    { data: { limit } },
  );
}
