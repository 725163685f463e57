// Does an entry show that a session comes further? Used by fold.ts, which counts openings without any.
import type { JournalEntry } from '../../core/session/journal.ts';

const progressKinds: ReadonlySet<string> = new Set(['settled', 'result']);

/** A void reply is none, nor is a question that was withdrawn: each opening may end in one. */
export function isProgress(entry: JournalEntry): boolean {
  if (entry.type === 'reply') return entry.end !== 'void';
  if (entry.type === 'answer') return entry.result !== null;
  return progressKinds.has(entry.type);
}
