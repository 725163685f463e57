// Tells versions of the guest's source apart: which world a snapshot holds, which source an engine
// brings compiled.

/**
 * FNV-1a over UTF-16 units, 32 bits: told apart must be some dozens of versions, not attackers.
 * `before` is the hash of a text that stands in front of it.
 */
export function hashText(text: string, before = 0x811c9dc5): number {
  let hash = before;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  }
  return hash;
}
