// A prompt that is a person's cell: `!` and code. Its turn is one call of Repl, which no model has made.
// Called by loop.ts.
import { toSerializedError } from '../../core/errors.ts';
import { isTextBlock, isToolUseBlock, toResultText } from '../../core/messages/blocks.ts';
import { readCellCode } from '../../core/messages/cell-code.ts';
import type { AssistantMessage, MessageParam, ModelEvent } from '../../core/messages/messages.ts';
import { toSystemReminder } from '../../core/messages/system-reminder.ts';
import { toEvents } from '../../model/to-events.ts';
import type { Turn } from '../calls/turn.ts';
import type { TurnEnd } from '../hooks/hooks.ts';
import type { Session } from '../session/session.ts';
import { toPutOffEnd } from './put-off.ts';
import type { Step } from './turn-end.ts';

type Prompt = Extract<MessageParam, { role: 'user' }>;

/** The code of a prompt that is a cell. A prompt with an image is none. */
export function readCellPrompt({ content }: Prompt): string | undefined {
  const [first, ...rest] = typeof content === 'string' ? [] : content;
  if (rest.length > 0 || (first && !isTextBlock(first))) return undefined;
  return readCellCode((typeof content === 'string' ? content : first?.text) ?? '');
}

/** What the model is told in the prompt's place. The call and its result follow it. */
export const cellReminder = toSystemReminder(
  'The user has written and run the next cell. You have not called it. Take its result into account, and answer only what the user asks afterwards.',
) as Prompt;

/** The reply with the call of the cell. It costs nothing, and no model has given it. */
export async function* sayCell({ ids }: Session, code: string, step: number) {
  const message: AssistantMessage = {
    id: ids.of('cell message', step),
    type: 'message',
    role: 'assistant',
    model: '<synthetic>',
    content: [{ type: 'tool_use', id: ids.of('cell', step), name: 'Repl', input: { code } }],
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 0, output_tokens: 0 },
  };
  yield* toEvents(message) satisfies Generator<ModelEvent>;
}

/** The turn's end. A cell that fails is no failure of the turn: its call has the error. */
export function endCell(step: Step, session: Session, turn: Turn): TurnEnd {
  if (turn.putOff && !turn.signal.aborted) return toPutOffEnd(session, turn.putOff);
  if (turn.signal.aborted) return { type: 'stopped', during: 'tools' };
  if (step.type === 'cut') return { type: 'failed', error: toSerializedError(step.error) };
  const call = step.message.content.find(isToolUseBlock);
  const result = call && session.journal.fold.calls.get(call.id)?.settled?.result;
  return { type: 'cell', text: result ? toResultText(result) : '' };
}
