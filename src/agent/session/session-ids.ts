// The ids that a session makes. All follow from its seed, so a resumed session makes the same ones again.
import { deriveId } from '../../core/hashes/seeded-ids.ts';
import type { SessionFold } from '../journal/fold.ts';

/** Makes the ids of one opening of a session. */
export interface SessionIds {
  /** The id that the parts name. The same parts give the same id. */
  of(...parts: readonly (string | number)[]): string;
  /** A new id each time, for messages that aren't kept. */
  next(): string;
}

/** `fold` must have its first entry. */
export function createSessionIds(fold: SessionFold): SessionIds {
  const seed = fold.session?.seed ?? '';
  // No other opening begins at this entry.
  const begin = fold.length;
  let passing: string | undefined;
  let made = 0;
  return {
    of: (...parts) => deriveId(seed, ...parts),
    // Counted, not derived: one is used for each delta of a reply, and two for each run of a hook.
    next() {
      passing ??= deriveId(seed, 'passing', begin).slice(0, -12);
      made += 1;
      return `${passing}${made.toString(16).padStart(12, '0')}`;
    },
  };
}
