// What a person is asked before the project goes that their conversations work on.
import type { Conversation } from './conversation.ts';

/** Asks where something would be lost, or `always`. False: the person says no. */
export type MayLeave = (question: string, when?: 'always') => boolean;

/** True where there is nothing to lose, or the person says so. What runs is stopped by who leaves. */
export function mayLeave(
  sessions: readonly Conversation[],
  ...[question, when]: Parameters<MayLeave>
): boolean {
  const losses = describeLosses(sessions);
  if (losses === '' && when !== 'always') return true;
  // The browser's own question: it can't be overlooked, nor be covered by anything.
  return confirm(`${losses} ${question}`.trim());
}

/** In sentences; empty where all of it can be gone on with. */
function describeLosses(sessions: readonly Conversation[]): string {
  // A conversation that another tab or the cloud runs continues there.
  const own = sessions.filter(
    ({ store, cloud }) => !cloud && store.getSnapshot().role === 'runner',
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
