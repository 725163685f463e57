// Lets the prompts of priority `next` join the turn that runs. Called by loop.ts before each further
// request. docs/decisions/0079 has the reasons.
import { toSystemReminder } from '../../core/messages/system-reminder.ts';
import type { PromptRecord } from '../../core/session/journal.ts';
import type { Turn } from '../calls/turn.ts';
import { readCommandLine } from '../commands/command-line.ts';
import { toContext } from '../journal/record-context.ts';
import type { Session } from '../session/session.ts';
import { readCellPrompt } from './cell-prompt.ts';

const sentMeanwhile =
  'The user has sent the next message while you work. Take it into account from now on. Continue with the task unless the message says otherwise.';

/** True if a prompt waits that {@link joinPrompts} takes. */
export function hasJoining(session: Session): boolean {
  return session.journal.fold.waiting.some((prompt) => mayJoin(prompt, session));
}

/**
 * Adds these prompts to the conversation, in order, with what UserPromptSubmit's hooks say. A prompt
 * that a hook refuses is recorded with the reason, and the turn continues.
 */
export async function joinPrompts(session: Session, turn: Turn): Promise<void> {
  const { journal, hooks } = session;
  for (const prompt of journal.fold.waiting.filter((one) => mayJoin(one, session))) {
    const taken = await hooks?.takePrompt(prompt.message, turn.signal);
    // A stopped turn takes no prompt: it is answered by a turn of its own.
    if (turn.signal.aborted) return;
    turn.isSuperseded = false;
    const joined = { type: 'joined', prompt: prompt.uuid } as const;
    if (taken?.end) {
      await journal.record({ ...joined, blocked: taken.end.result.result });
      continue;
    }
    await journal.record(
      ...toContext('reminder', [toSystemReminder(sentMeanwhile)]),
      joined,
      ...(taken?.states ?? []),
      ...toContext('hook', taken?.context),
    );
  }
}

/** A command runs without the model, or chooses one, and a cell has no reply: each needs its own turn. */
function mayJoin(prompt: PromptRecord, { agent, cellPrompts }: Session): boolean {
  const { priority, message, client_composed } = prompt;
  if (priority !== 'next' || agent) return false;
  if (client_composed) return true;
  const isCell = cellPrompts && readCellPrompt(message) !== undefined;
  return !isCell && readCommandLine(message) === undefined;
}
