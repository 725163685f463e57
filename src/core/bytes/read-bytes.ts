// All bytes of a request or an answer from outside, as far as there is room for them.

import { createAbortError, throwIfAborted, untilAborted } from '../async/abort.ts';
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
  const reader = stream?.getReader();
  // A stream that has failed has nothing left to be cancelled.
  const stop = () => reader?.cancel(createAbortError(signal?.reason)).catch(() => {});
  // Not every runtime ends a read that waits when its reader is cancelled.
  const reading = untilAborted(readAll(reader, limit), signal);
  // Only now: the end of a cancelled stream must not pass for the end of its bytes.
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await reading;
  } finally {
    signal?.removeEventListener('abort', stop);
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
