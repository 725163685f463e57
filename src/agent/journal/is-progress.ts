// Does an entry show that a session comes further, or that it was lost on its way? Used by fold.ts, which counts losses
// in a row.
import type { JournalEntry, OpenedRecord } from '../../core/session/journal.ts';
import type { SessionFold } from './fold.ts';

const progressKinds: ReadonlySet<string> = new Set(['settled', 'result']);

/** A void reply is none, nor is a question that was withdrawn: each opening may end in one. */
export function isProgress(entry: JournalEntry): boolean {
  if (entry.type === 'reply') return entry.end !== 'void';
  if (entry.type === 'answer') return entry.result !== null;
  return progressKinds.has(entry.type);
}

/** Was something under way that this opening takes up? One that was let go on purpose, or was at rest, wasn't lost. */
export function isLoss(
  { why }: OpenedRecord,
  { turn, waiting, tasks }: Pick<SessionFold, 'turn' | 'waiting' | 'tasks'>,
): boolean {
  if (why === 'woken') return false;
  const isRunning = () => [...tasks.values()].some(({ status }) => status === 'running');
  return (turn && !turn.isPutOff) || waiting.length > 0 || isRunning();
}
