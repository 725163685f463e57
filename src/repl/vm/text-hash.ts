// Tells versions of the guest's source apart: which world a snapshot holds.

/**
 * FNV-1a over the words of its UTF-8, 32 bits: told apart must be some dozens of versions, not attackers.
 * By words, since a cold start hashes 100 kB by code that isn't compiled yet.
 */
export function hashText(text: string): number {
  const bytes = new TextEncoder().encode(text);
  const words = new Uint32Array(Math.ceil(bytes.length / 4));
  new Uint8Array(words.buffer).set(bytes);
  let hash = 0x811c9dc5;
  for (let at = 0; at < words.length; at += 1) {
    hash = Math.imul(hash ^ (words[at] ?? 0), 0x01000193);
    // The effect of a word's upper half on the product stays in the upper half.
    hash ^= hash >>> 15;
  }
  return hash >>> 0;
}
