import { describe, expect, it } from 'vitest';
import { decodeSavedSession } from '../../../src/repl/session/saved-state.ts';
import { toSavedState } from '../../support/repl/saved-session.ts';

const session = {
  id: crypto.randomUUID(),
  engine: 'an engine',
  world: 'a world',
  cellCount: 9,
  snapshot: Uint8Array.of(1, 2, 3),
};

describe('a saved session', () => {
  it('has its snapshot at the same place whatever the session has come to', () => {
    const placeOf = (changes: object) => {
      const saved = decodeSavedSession(toSavedState({ ...session, ...changes }));
      expect(saved).toMatchObject({ ...session, ...changes });
      return saved?.snapshot.byteOffset;
    };
    const place = placeOf({});
    // A block of the comparison begins there.
    expect(place! % 256).toBe(0);
    expect(placeOf({ cellCount: 10 })).toBe(place);
    expect(placeOf({ cellCount: 123_456, newestContent: 7_654_321 })).toBe(place);
  });
});
