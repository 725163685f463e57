// Asks a person before a project is closed in which conversations work.
import type { Conversation } from './conversation.ts';

/** Asks if something would be lost, or `always`. False: the person refuses. */
export type MayLeave = (question: string, when?: 'always') => boolean;

/** True if there is nothing to lose, or the person agrees. The caller stops what runs. */
export function mayLeave(
  sessions: readonly Conversation[],
  ...[question, when]: Parameters<MayLeave>
): boolean {
  const losses = describeLosses(sessions);
  if (losses === '' && when !== 'always') return true;
  // Uses the browser's own question, which nothing can cover.
  return confirm(`${losses} ${question}`.trim());
}

/** Sentences about what would be lost. Empty if everything can be continued later. */
function describeLosses(sessions: readonly Conversation[]): string {
  // A conversation that another tab or the cloud runs continues there.
  const own = sessions.filter(
    ({ store, cloud }) => !cloud && store.getSnapshot().role !== 'viewer',
  );
  const isAsking = own.some(({ permissions }) => permissions.getSnapshot().length > 0);
  const isRunning = own.some(({ store }) => store.getSnapshot().isRunning);
  const hasTasks = own.some(({ store }) => store.getSnapshot().tasks.length > 0);
  const waits = sessions.some(({ waiting }) => waiting.getSnapshot().length > 0);
  const sentences = [
    isAsking
      ? 'The agent waits for your answer, and will be stopped.'
      : isRunning && 'The agent is working, and will be stopped.',
    hasTasks && 'What runs in the background will be stopped.',
    waits && 'What you have sent and waits is lost.',
  ];
  return sentences.filter(Boolean).join(' ');
}
