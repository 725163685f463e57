// What hooks say to the model between two turns. It goes with the next prompt, which may come in a later opening: a
// page may be closed before, and an object may sleep. So it is in the journal, too. Used by create-hooks.ts.
import type { StateRecord } from '../../core/session/journal.ts';
import type { SessionJournal } from '../journal/session-journal.ts';

export interface WaitingTexts {
  /** A text that waits already isn't added again. `isOfOpening`: each opening says it anew, so it isn't recorded. */
  put(texts: readonly string[], isOfOpening?: boolean): void;
  /** Takes all of them. Record `states` together with the texts: each is told once then, also after a kill. */
  take(): { readonly texts: readonly string[]; readonly states: readonly StateRecord[] };
}

const key = 'hook-texts';

/** Without `journal` they are in memory alone. */
export function createWaitingTexts(
  journal: Pick<SessionJournal, 'fold' | 'note'> | undefined,
): WaitingTexts {
  /** Those that are recorded, or on their way into the journal. */
  let own: string[] = [];
  let ofOpening: string[] = [];
  const listRecorded = () => [...new Set([...readTexts(journal?.fold.states.get(key)), ...own])];
  const listAll = () => [...new Set([...listRecorded(), ...ofOpening])];
  return {
    put(texts, isOfOpening = false) {
      const known = listAll();
      const added = texts.filter((text) => !known.includes(text));
      if (added.length === 0) return;
      (isOfOpening ? ofOpening : own).push(...added);
      if (!isOfOpening) journal?.note({ type: 'state', key, value: listRecorded() });
    },
    take() {
      const texts = listAll();
      const isRecorded = journal !== undefined && listRecorded().length > 0;
      [own, ofOpening] = [[], []];
      return { texts, states: isRecorded ? [{ type: 'state', key, value: null }] : [] };
    },
  };
}

function readTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [];
}
