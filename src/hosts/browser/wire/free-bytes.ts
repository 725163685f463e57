// Frees memory at once that would otherwise wait for garbage collection.

/**
 * Frees the whole buffer of these bytes, which can't be read afterwards. Garbage collectors don't
 * hurry for large buffers, because the heap only has a small object for each.
 */
export function freeBytes({ buffer }: Uint8Array): void {
  // An empty buffer may already be detached, and then can't be transferred.
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength === 0) return;
  const { port1, port2 } = new MessageChannel();
  // A transfer to a closed port releases the memory.
  port2.close();
  port1.postMessage(null, [buffer]);
  port1.close();
}
