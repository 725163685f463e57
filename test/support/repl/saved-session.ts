// A saved session made of parts, for tests of what becomes of one.
import { encodeSavedSession, type SavedSession } from '../../../src/repl/session/saved-state.ts';

/** As a session would have saved it. */
export function toSavedState({ snapshot, ...header }: SavedSession): Uint8Array {
  return encodeSavedSession(header, (room) => {
    const bytes = new Uint8Array(room + snapshot.length);
    bytes.set(snapshot, room);
    return bytes;
  }).bytes;
}
