// All bytes of a request or an answer from outside, as far as there is room for them.

/**
 * Undefined where there are more than `limit`: no more of them is read, and the stream is cancelled. No stream has no
 * bytes. Rejects as the stream does.
 */
export async function readBytes(
  stream: ReadableStream<Uint8Array> | null | undefined,
  limit: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const reader = stream?.getReader();
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    length += next.value.length;
    if (length > limit) {
      await reader?.cancel();
      return undefined;
    }
    pieces.push(next.value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
