// Creates the ids of a session. They are derived from its seed, so a resumed session creates the
// same ids again.
import { deriveId } from '../../core/hashes/seeded-ids.ts';
import type { SessionFold } from '../journal/fold.ts';

/** Creates the ids of one opening of a session. */
export interface SessionIds {
  /** The id for these parts. The same parts give the same id. */
  of(...parts: readonly (string | number)[]): string;
  /** A new id each time, for messages that aren't kept. */
  next(): string;
}

/** `fold` must have its first entry. */
export function createSessionIds(fold: SessionFold): SessionIds {
  const seed = fold.session?.seed ?? '';
  // The number of this entry is unique to this opening.
  const begin = fold.length;
  let passing: string | undefined;
  let made = 0;
  return {
    of: (...parts) => deriveId(seed, ...parts),
    // A counter, because hashing would be slow: each delta of a reply uses one id, and each run of
    // a hook two.
    next() {
      passing ??= deriveId(seed, 'passing', begin).slice(0, -12);
      made += 1;
      return `${passing}${made.toString(16).padStart(12, '0')}`;
    },
  };
}
