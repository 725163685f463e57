// Informs the model once that its session now runs in another place, and which of its last tools
// are missing there. Called by session-engine.ts at the first opening after a move.
import { quoteForReminder, toSystemReminder } from '../../../core/messages/system-reminder.ts';
import { findToolByName } from '../../../core/tool/tool.ts';
import type { RequestRecord } from '../../../core/session/journal.ts';
import type { Session } from '../session.ts';

/** Records the message, which enters the conversation with the next request or prompt. */
export async function tellArrival({
  journal,
  builtInTools,
  ownTools,
}: Pick<Session, 'journal' | 'builtInTools' | 'ownTools'>): Promise<void> {
  const { fold } = journal;
  const { arrival } = fold;
  if (!arrival) return;
  let head: RequestRecord['head'];
  for await (const entry of fold.read()) if (entry.type === 'request') head = entry.head ?? head;
  const known = [...builtInTools, ...ownTools];
  const gone = (head?.tools ?? []).flatMap(([name]) => (findToolByName(known, name) ? [] : [name]));
  const notification = toSystemReminder(toText(quoteForReminder(arrival.at), gone));
  await journal.record({ type: 'arrived', move: arrival.move, notification });
}

function toText(at: string, gone: readonly string[]): string {
  const tools =
    gone.length === 0
      ? ''
      : ` These tools were there and are not here: ${gone.map(quoteForReminder).join(', ')}. Don't call them.`;
  return (
    `This session was moved. It now runs here: ${at}. The conversation, the files and the variables of Repl came along. ` +
    `What was running when it moved was interrupted. Tools of the page, servers that only the old place could reach, ` +
    `and folders that were mounted there did not come along: such files are copies now.${tools}`
  );
}
