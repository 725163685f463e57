// Records the ends of background work that was lost with its page. Called by resume-turn.ts when a
// session is opened again, and by create-session-agents.ts for agents without an open turn.
import { planResume } from './resume.ts';
import type { ResumePlan } from './resume.ts';
import type { SessionJournal } from './session-journal.ts';

/**
 * Records the ends of lost tasks, which then are news, and of calls of apps. `lost`, left out: all that the journal
 * has open. None of them may still run. `goesOn`: a turn begins by that.
 */
export async function endLost(
  journal: SessionJournal,
  lost: Pick<ResumePlan, 'tasks' | 'apps'> = planResume(journal.fold, () => undefined),
  goesOn = false,
): Promise<void> {
  const ends = lost.tasks.flatMap(({ settled, task: planned }) => {
    const task = goesOn ? { ...planned, isLost: true as const } : planned;
    // The call was below one that was interrupted, and has ended with it.
    const isSettled = journal.fold.calls.get(task.id)?.settled !== undefined;
    return settled && !isSettled ? [settled, task] : [task];
  });
  await journal.record(...lost.apps, ...ends);
}
