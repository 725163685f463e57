// A sub-agent's view of the session's journal: its own entries, which have its id, and their fold.
// The entries of all agents are in one stream, in the order of events.
import type { AgentJournalRecord } from '../../core/session/journal.ts';
import type { SessionFold } from './fold.ts';
import type { SessionJournal } from './session-journal.ts';

/** `id`: the id of an agent whose beginning was recorded. */
export function createAgentJournal(journal: SessionJournal, id: string): SessionJournal {
  const found = journal.fold.agents.get(id);
  if (!found) throw new TypeError(`No agent ${id} was begun.`);
  const fold: SessionFold = found.fold;
  const mark = (records: readonly AgentJournalRecord[]) =>
    records.map((record) => ({ ...record, agent: id }));
  return {
    fold,
    isKept: journal.isKept,
    broken: journal.broken,
    sealed: journal.sealed,
    seal: (records, why) => journal.seal(mark(records), why),
    record: (...records) => journal.record(...mark(records)),
    note: (...records) => journal.note(...mark(records)),
    recordSafely: (...records) => journal.recordSafely(...mark(records)),
    recordWith: (records, commit) => journal.recordWith(mark(records), commit),
    flush: () => journal.flush(),
    hasLanded: (n) => journal.hasLanded(n),
    breakOff: (reason) => journal.breakOff(reason),
    onEntry: (listener) =>
      journal.onEntry((entry) => {
        if (entry.agent === id) listener(entry);
      }),
  };
}
