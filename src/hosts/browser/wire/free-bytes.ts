// Gives memory back at once that a realm would else keep until its garbage is collected.

/**
 * Frees the whole buffer of these bytes: nobody can read them afterwards. A collector doesn't hurry for
 * buffers, however large: the heap that it looks at holds a small object for each.
 */
export function freeBytes({ buffer }: Uint8Array): void {
  // An empty one may be gone already, which can't be moved.
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength === 0) return;
  const { port1, port2 } = new MessageChannel();
  // What is moved to a port without a partner goes nowhere.
  port2.close();
  port1.postMessage(null, [buffer]);
  port1.close();
}
