// Tells versions of the guest's source apart: which world a snapshot holds, which source an engine
// brings compiled.

/**
 * FNV-1a over the words of its UTF-8, 32 bits: told apart must be some dozens of versions, not attackers.
 * By words, since a cold start hashes 30 kB by code that isn't compiled yet. `before` is the hash of a
 * text that stands in front of it.
 */
export function hashText(text: string, before = 0x811c9dc5): number {
  const bytes = new TextEncoder().encode(text);
  const words = new Uint32Array(Math.ceil(bytes.length / 4));
  new Uint8Array(words.buffer).set(bytes);
  let hash = before;
  for (let at = 0; at < words.length; at += 1) {
    hash = Math.imul(hash ^ (words[at] ?? 0), 0x01000193);
    // What a word's upper half does to the product stays in the upper half.
    hash ^= hash >>> 15;
  }
  return hash >>> 0;
}
