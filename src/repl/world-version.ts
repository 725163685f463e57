// Which world a snapshot holds. Its kernel and its guest's functions are in the snapshot, and call
// the host and the cell runtime as they were then: another version's must not be taken up.
import { hashText } from './text-hash.ts';
import { bootCode, nearParts } from './world/world.ts';

/**
 * Differs where anything of the guest's source does, so nobody has to count it up. `parts` are the
 * sources that may be in it besides what every VM boots.
 */
export function worldVersion(parts: readonly string[]): string {
  bootHash ??= Object.values(nearParts).reduce(
    (hash, part) => hashText(part, hash),
    hashText(bootCode().source),
  );
  return parts.reduce((hash, part) => hashText(part, hash), bootHash).toString(16);
}

let bootHash: number | undefined;
