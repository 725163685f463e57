// Forwards a stream chunk by chunk and reports once how it ended. The model proxy uses it to read
// an answer without changing it.

/** `left`: the reader has cancelled. `cut`: the source has failed. */
export type StreamEnd = 'whole' | 'cut' | 'left';

export interface StreamWatch {
  /** Called before the chunk is forwarded. Must not throw. */
  onChunk(chunk: Uint8Array): void;
  /** Called once. The reader sees the end after this has resolved. Must not reject. */
  onEnd(end: StreamEnd): Promise<void>;
}

/** Applies backpressure: at most one chunk is read ahead of the reader. */
export function passStream(
  source: ReadableStream<Uint8Array>,
  { onChunk, onEnd }: StreamWatch,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  let hasEnded = false;
  const end = async (how: StreamEnd): Promise<void> => {
    if (hasEnded) return;
    hasEnded = true;
    await onEnd(how);
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const read = await reader.read().catch(() => 'cut' as const);
      if (read === 'cut') {
        await end('cut');
        // An incomplete answer must not look complete.
        controller.error(new TypeError('The answer broke off.'));
      } else if (read.done) {
        await end('whole');
        controller.close();
      } else {
        onChunk(read.value);
        controller.enqueue(read.value);
      }
    },
    async cancel(reason) {
      // A source that has failed can't be cancelled.
      await reader.cancel(reason).catch(() => undefined);
      await end('left');
    },
  });
}
