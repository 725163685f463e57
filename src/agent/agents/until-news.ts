// Waits until an agent may have news. Used by create-session-agents.ts.
import type { SessionJournal } from '../journal/session-journal.ts';

/**
 * Resolves at the first of these:
 *
 * - something is told to an agent of the session;
 * - an agent no longer runs, when the listeners in `whenLeft` are called;
 * - `stopping` aborts;
 * - the journal breaks.
 */
export function untilNews(
  journal: Pick<SessionJournal, 'broken' | 'onEntry'>,
  whenLeft: Set<() => void>,
  stopping: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const listening = journal.onEntry(({ type }) => {
      if (type === 'task' || type === 'mail') done();
    });
    const done = () => {
      listening[Symbol.dispose]();
      whenLeft.delete(done);
      stopping.removeEventListener('abort', done);
      journal.broken.removeEventListener('abort', done);
      resolve();
    };
    whenLeft.add(done);
    stopping.addEventListener('abort', done, { once: true });
    journal.broken.addEventListener('abort', done, { once: true });
  });
}
