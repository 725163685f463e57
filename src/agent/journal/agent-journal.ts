// The journal of a session as one of its sub-agents sees it: its own entries, which bear its id, and what they
// come to. The entries of all agents are in one stream, in the order in which they happened.
import type { AgentJournalRecord } from '../../core/session/journal.ts';
import type { SessionFold } from './fold.ts';
import type { SessionJournal } from './session-journal.ts';

/** `id`: of an agent whose beginning was recorded. */
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
