// The non-cryptographic checksum of everything that the log writes. It detects torn writes and damaged media, but not
// forgery.

// Any odd numbers work. About half of the bits of these are set.
const checksumSeed = 0x52f0c1a7;
const checksumFactor = 0x9e3779b1;

/**
 * A 32-bit checksum of the bytes. Zeros count, so a zero-filled tail is always detected. A change within one word is
 * always detected; of other changes 1 in 4 billion isn't. `seed`: the sum of what came before, whose length must be a
 * multiple of four.
 */
export function checksum(bytes: Uint8Array, seed: number = checksumSeed): number {
  // Works word by word: with a byte-wise sum replay was three times slower. Each step is a bijection. A DataView
  // reads words at any offset, so bytes in the middle of a buffer need no copy.
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = bytes.length & ~3;
  let sum = seed;
  for (let at = 0; at < end; at += 4) {
    sum = Math.imul(sum ^ view.getUint32(at, true), checksumFactor);
    sum = (sum << 13) | (sum >>> 19);
  }
  if (end === bytes.length) return sum >>> 0;
  let last = (bytes.length - end) << 24;
  for (let at = end; at < bytes.length; at += 1) last |= view.getUint8(at) << (8 * (at - end));
  return Math.imul(sum ^ last, checksumFactor) >>> 0;
}
