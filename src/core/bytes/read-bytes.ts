// All bytes of a request or an answer from outside, as far as there is room for them.

import { createAbortError, throwIfAborted } from '../async/abort.ts';
import { joinBytes } from './join-bytes.ts';

/**
 * Reads all bytes of a stream. Undefined if there are more than `limit`; the stream is then
 * cancelled. A missing stream gives no bytes. Rejects with the stream's error, and with `aborted`
 * if `signal` is aborted; the stream is cancelled then too.
 */
export async function readBytes(
  stream: ReadableStream<Uint8Array> | null | undefined,
  limit: number,
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  throwIfAborted(signal);
  if (!signal) return readAll(stream?.getReader(), limit);
  const reader = stream?.getReader();
  let stop: () => void = () => {};
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => {
      const error = createAbortError(signal.reason);
      reject(error);
      // A stream that has failed has nothing left to be cancelled.
      reader?.cancel(error).catch(() => {});
    };
  });
  signal.addEventListener('abort', stop, { once: true });
  try {
    // Not every runtime ends a read that waits when its reader is cancelled.
    return await Promise.race([stopped, readAll(reader, limit)]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function readAll(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
  limit: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    length += next.value.length;
    if (length > limit) {
      await reader?.cancel();
      return undefined;
    }
    pieces.push(next.value);
  }
  return joinBytes(pieces);
}
