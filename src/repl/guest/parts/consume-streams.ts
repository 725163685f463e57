// Node's stream/consumers: read a Node or web stream to its end.
import type { Kernel } from '../kernel-type.ts';

/** Returns the module. */
export function addStreamConsumers(kernel: Kernel) {
  async function buffer(stream: AsyncIterable<unknown>) {
    const pieces: Uint8Array[] = [];
    for await (const piece of stream) {
      if (typeof piece === 'string') {
        pieces.push(kernel.host.encodeText(piece));
        continue;
      }
      const bytes = kernel.plainBytes(piece);
      if (bytes === undefined)
        throw kernel.invalidType(
          'chunk',
          'of type string or an instance of Buffer, TypedArray, or DataView',
          piece,
        );
      pieces.push(bytes);
    }
    return kernel.Buffer.concat(pieces);
  }
  const text = async (stream: AsyncIterable<unknown>) => kernel.decode(await buffer(stream));
  return {
    buffer,
    blob: async (stream: AsyncIterable<unknown>) =>
      new (kernel.part('blob').Blob)([await buffer(stream)]),
    bytes: async (stream: AsyncIterable<unknown>) => new Uint8Array(await buffer(stream)),
    arrayBuffer: async (stream: AsyncIterable<unknown>) =>
      new Uint8Array(await buffer(stream)).buffer,
    text,
    json: async (stream: AsyncIterable<unknown>) => kernel.parse(await text(stream)),
  };
}
