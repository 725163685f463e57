// Decides whether an entry shows progress of a session, or a loss. Used by fold.ts to count
// consecutive losses.
import type { JournalEntry, OpenedRecord } from '../../core/session/journal.ts';
import type { SessionFold } from './fold.ts';

const progressKinds: ReadonlySet<string> = new Set(['settled', 'result']);

/** A void reply and a withdrawn question aren't progress, because each opening may end with one. */
export function isProgress(entry: JournalEntry): boolean {
  if (entry.type === 'reply') return entry.end !== 'void';
  if (entry.type === 'answer') return entry.result !== null;
  return progressKinds.has(entry.type);
}

/**
 * True if running work was lost before this opening. A session that was released on purpose, or was
 * idle, wasn't lost.
 */
export function isLoss(
  { why }: OpenedRecord,
  { turn, waiting, tasks }: Pick<SessionFold, 'turn' | 'waiting' | 'tasks'>,
): boolean {
  if (why === 'woken') return false;
  const isRunning = () => [...tasks.values()].some(({ status }) => status === 'running');
  return (turn && !turn.isPutOff) || waiting.length > 0 || isRunning();
}
