// Keeps what hooks say about a call while its question waits, where the host may release the
// session meanwhile. Used by create-hooks.ts.
import type { SessionSteps } from '../session-steps.ts';
import type { SessionJournal } from '../journal/session-journal.ts';

export interface KeptNotes {
  put(callId: string, texts: readonly string[]): void;
  /** The texts that an earlier opening has put, once. Call it when the call's notes are taken. */
  take(callId: string): readonly string[];
}

/** `opening`: after a kill the hooks run again, so what they said before doesn't count. */
export function createKeptNotes(
  journal: Pick<SessionJournal, 'fold' | 'note'>,
  opening: SessionSteps['opening'],
): KeptNotes {
  /** The calls whose texts are in this opening's memory, too. */
  const own = new Set<string>();
  const keyOf = (callId: string) => `hook-notes/${callId}`;
  return {
    put(callId, texts) {
      if (texts.length === 0) return;
      own.add(callId);
      journal.note({ type: 'state', key: keyOf(callId), value: texts });
    },
    take(callId) {
      const key = keyOf(callId);
      const kept = journal.fold.states.get(key);
      const isOwn = own.delete(callId);
      if (!isOwn && !Array.isArray(kept)) return [];
      journal.note({ type: 'state', key, value: null });
      if (isOwn || opening !== 'woken') return [];
      return (kept as readonly unknown[]).filter((text) => typeof text === 'string');
    },
  };
}
