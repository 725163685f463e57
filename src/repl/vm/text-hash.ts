// A hash that distinguishes versions of the guest's source, so that a snapshot names its world.

/**
 * Returns the 32-bit FNV-1a hash of the text's UTF-8 bytes, computed over 4-byte words. It needs to
 * tell a few dozen versions apart, and isn't for security. Words are faster than bytes: a cold
 * start hashes 100 kB with code that isn't compiled yet.
 */
export function hashText(text: string): number {
  const bytes = new TextEncoder().encode(text);
  const words = new Uint32Array(Math.ceil(bytes.length / 4));
  new Uint8Array(words.buffer).set(bytes);
  let hash = 0x811c9dc5;
  for (let at = 0; at < words.length; at += 1) {
    hash = Math.imul(hash ^ (words[at] ?? 0), 0x01000193);
    // A multiplication only carries upwards. This also mixes a word's upper half into the lower
    // one.
    hash ^= hash >>> 15;
  }
  return hash >>> 0;
}
