// What a person is asked before their conversation is thrown away.
import type { Conversation } from './conversation.ts';

/** True where there is nothing to lose, or the person says so. What runs is stopped by who leaves. */
export function mayLeave(session: Conversation | null, question: string): boolean {
  const losses = session ? describeLosses(session) : '';
  // The browser's own question: it can't be overlooked, nor be covered by anything.
  return losses === '' || confirm(`${losses} ${question}`);
}

/** What goes with the conversation, in sentences; empty before its first prompt. */
function describeLosses({ store, permissions, waiting }: Conversation): string {
  const { turns, isRunning, tasks } = store.getSnapshot();
  if (turns.length === 0) return '';
  const waits = waiting.getSnapshot().length > 0;
  const sentences = [
    permissions.getSnapshot().length > 0
      ? 'The agent waits for your answer, and will be stopped.'
      : isRunning && 'The agent is working, and will be stopped.',
    tasks.length > 0 && 'What runs in the background will be stopped.',
    waits && 'What you have sent and waits is lost.',
    'This conversation can’t be opened again; changed files stay as they are.',
  ];
  return sentences.filter(Boolean).join(' ');
}
