// Passes a stream on chunk by chunk, and reports once how it ended. For the model proxy, which reads an answer without
// changing it.

/** `left`: whoever read it went away. `cut`: it broke off where it comes from. */
export type StreamEnd = 'whole' | 'cut' | 'left';

export interface StreamWatch {
  /** Before the chunk is passed on. Must not throw. */
  onChunk(chunk: Uint8Array): void;
  /** Called once. The reader sees the end when this has resolved. Must not reject. */
  onEnd(end: StreamEnd): Promise<void>;
}

/** Backpressure goes both ways: nothing is read ahead of the reader but one chunk. */
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
        // Half an answer must not look like a whole one.
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
      // A source that has failed already has nothing left to be cancelled.
      await reader.cancel(reason).catch(() => undefined);
      await end('left');
    },
  });
}
