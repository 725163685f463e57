// Reads the entries of a tar, compressed by gzip or not, one after the other.
import { createAbortError } from '../../core/async/abort.ts';
import { SdkError, messageOf } from '../../core/errors.ts';
import { isBomb, type ArchiveEntry } from './archive-entry.ts';

/**
 * Reads a stream, bytes or a Blob. gzip is detected by its first two bytes. `signal` also cancels a
 * stream that stalls.
 *
 * @throws SdkError `invalid-input` if it isn't a tar, or is truncated or damaged; `limit-exceeded`
 * for a decompression bomb.
 */
export async function* readTar(
  archive: ReadableStream<Uint8Array> | Uint8Array | Blob,
  signal?: AbortSignal,
): AsyncGenerator<ArchiveEntry> {
  const { createTarDecoder } = await import('modern-tar');
  const counts = { packed: 0, unpacked: 0 };
  const packed = cutBy(toStream(archive), signal).pipeThrough(
    countBytes((bytes) => (counts.packed += bytes)),
  );
  const { isGzip, stream } = await peek(packed);
  const unpacked = isGzip
    ? stream.pipeThrough(toTransform(new DecompressionStream('gzip')))
    : stream;
  const checked = unpacked.pipeThrough(
    countBytes((bytes) => {
      counts.unpacked += bytes;
      if (isGzip && isBomb(counts.unpacked, counts.packed)) throw bombError();
    }),
  );
  const reader = checked.pipeThrough(createTarDecoder({ strict: true })).getReader();
  let count = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const { header, body } = value;
      const kind = toKind(header.type, header.name);
      count += 1;
      let isRead = false;
      yield {
        path: header.name,
        kind,
        size: header.size,
        mode: header.mode,
        mtimeMs: header.mtime?.getTime() ?? 0,
        ...(header.linkname !== undefined && { target: header.linkname }),
        read: (limit) => {
          isRead = true;
          return readBody(body, header.size, limit, header.name);
        },
      };
      if (!isRead) await body.cancel();
    }
  } catch (error) {
    throw toArchiveError(error);
  } finally {
    await reader.cancel().catch(() => undefined);
  }
  if (count === 0 && counts.unpacked < 1024) throw toArchiveError(new Error('It is too short.'));
}

async function readBody(
  body: ReadableStream<Uint8Array>,
  size: number,
  limit: number,
  path: string,
): Promise<Uint8Array> {
  if (size > limit) throw tooLargeError(path);
  const bytes = new Uint8Array(size);
  let at = 0;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (at + value.length > size) throw new Error(`${path} is longer than it says.`);
      bytes.set(value, at);
      at += value.length;
    }
    if (at < size) throw new Error(`It ends inside of ${path}.`);
  } catch (error) {
    throw toArchiveError(error);
  }
  return bytes;
}

function toKind(type: string | undefined, path: string): ArchiveEntry['kind'] {
  switch (type ?? 'file') {
    case 'file':
    case 'contiguous-file':
      return 'file';
    case 'directory':
      return 'directory';
    case 'symlink':
      return 'symlink';
    case 'link':
      return 'hardlink';
    default: {
      const message = `The archive has ${JSON.stringify(path)}, which is no file, directory or link. Nothing was unpacked.`;
      throw new SdkError('invalid-input', message, { data: { path } });
    }
  }
}

function toStream(archive: ReadableStream<Uint8Array> | Uint8Array | Blob) {
  if (archive instanceof ReadableStream) return archive;
  if (archive instanceof Blob) return archive.stream() as ReadableStream<Uint8Array>;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      if (archive.length > 0) controller.enqueue(archive);
      controller.close();
    },
  });
}

/**
 * Returns a stream that ends with the signal. The option `signal` of `pipeThrough` isn't used,
 * because workerd then waits for a source that stalls.
 */
function cutBy(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  if (!signal) return stream;
  const reader = stream.getReader();
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const cut = () => {
        controller.error(createAbortError(signal.reason));
        // Cancelling a stream that has failed rejects; there is nothing to do then.
        reader.cancel(signal.reason).catch(() => undefined);
      };
      if (signal.aborted) cut();
      else signal.addEventListener('abort', cut, { once: true });
      const forget = () => signal.removeEventListener('abort', cut);
      reader.closed.then(forget, forget);
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (signal.aborted) return;
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** Returns the first bytes, and a stream that still contains them. */
async function peek(stream: ReadableStream<Uint8Array>) {
  const reader = stream.getReader();
  const first: Uint8Array[] = [];
  let bytes: readonly number[] = [];
  while (bytes.length < 2) {
    const { done, value } = await reader.read();
    if (done) break;
    first.push(value);
    bytes = [...bytes, ...value.subarray(0, 2)];
  }
  const whole = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const held = first.shift();
      if (held) return controller.enqueue(held);
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { isGzip: bytes[0] === 0x1f && bytes[1] === 0x8b, stream: whole };
}

function countBytes(count: (bytes: number) => void): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(chunk, controller) {
      count(chunk.length);
      controller.enqueue(chunk);
    },
  });
}

/**
 * The cast is needed because the type libraries of the realms differ in the buffer type of chunks.
 */
function toTransform(stream: DecompressionStream): TransformStream<Uint8Array, Uint8Array> {
  return stream as unknown as TransformStream<Uint8Array, Uint8Array>;
}

export function bombError(): SdkError {
  const message =
    'The archive unpacks to more than 200 times its size, as no honest one does. Nothing was unpacked.';
  return new SdkError('limit-exceeded', message);
}

export function tooLargeError(path: string): SdkError {
  const message = `The archive unpacks to more than it may: the limit is reached at ${path}. Nothing was unpacked.`;
  return new SdkError('limit-exceeded', message, { data: { path } });
}

export function toArchiveError(error: unknown): SdkError {
  if (SdkError.isInstance(error)) return error;
  const reason = messageOf(error);
  const message = `The archive can't be read: it is cut, damaged, or of another kind. ${reason} Nothing was unpacked.`;
  return new SdkError('invalid-input', message, { cause: error });
}
