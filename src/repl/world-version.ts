// Which world a snapshot holds. Its kernel and its guest's functions are in the snapshot, and call
// the host and the cell runtime as they were then: another version's must not be taken up.
import { bootCode } from './world/world.ts';

/**
 * Differs where anything of the guest's source does, so nobody has to count it up. `parts` are the
 * sources that may be in it besides what every VM boots.
 */
export function worldVersion(parts: readonly string[]): string {
  bootHash ??= addHash(0x811c9dc5, bootCode().source);
  return parts.reduce(addHash, bootHash).toString(16);
}

let bootHash: number | undefined;

/** FNV-1a over UTF-16 units, 32 bits: told apart must be some dozens of versions, not attackers. */
function addHash(hash: number, text: string): number {
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  }
  return hash;
}
