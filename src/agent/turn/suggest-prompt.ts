// Suggests a person's next prompt from the end of a turn, by one short request to the small model
// outside the conversation. Used by session-engine.ts.
import { textOf } from '../../core/messages/blocks.ts';
import { clipText } from '../../core/text/clip-text.ts';
import type { Model } from '../../model/model.ts';
import { askAside } from '../session/ask-aside.ts';
import type { Session } from '../session/session.ts';

/**
 * Undefined: no prompt is likely, or the budget is spent. Rejects like {@link askAside}.
 *
 * @param model - the query's `smallModel`. Its usage counts for the session.
 */
export async function suggestPrompt(
  session: Pick<
    Session,
    'host' | 'ids' | 'journal' | 'usage' | 'spending' | 'prompts' | 'messages'
  >,
  model: Model,
  signal: AbortSignal,
): Promise<string | undefined> {
  const content = describeEnd(session);
  if (content === undefined || session.spending.isSpent()) return undefined;
  const message = await askAside(
    session,
    model,
    {
      system: [{ type: 'text', text: instructions }],
      messages: [{ role: 'user', content }],
      tools: [],
      // Room for twelve words and the model's thinking. Newer models think without being asked, and
      // thinking counts.
      max_tokens: 4_096,
    },
    signal,
  );
  const answer = textOf(message?.content ?? '', '');
  const [line = ''] = answer.trim().split('\n', 1);
  const suggestion = line.trim().replace(/^(["'“„«`])(.*)["'”“»`]$/u, '$2');
  // A longer text is an answer, and not a prompt.
  return suggestion === '' || suggestion.length > maxSuggestion ? undefined : suggestion;
}

const instructions = `You guess what a person says next to a coding agent. You are given what they said last, and how the agent has answered. Write their next message and nothing else: in their voice and their language, at most 12 words, without quotes. Where the agent has asked something, write the likeliest answer. Where no message is likely, write nothing.`;

const maxSuggestion = 160;

/** Undefined if the conversation is empty. */
function describeEnd({ prompts, messages }: Pick<Session, 'prompts' | 'messages'>) {
  const reply = messages.findLast(({ role }) => role === 'assistant')?.content ?? '';
  const said = textOf(reply, '\n');
  if (said.trim() === '') return undefined;
  const asked = prompts.slice(-3).map((prompt) => clipText(prompt, 1_000));
  // The end of an answer says what is left to do.
  return `<said>\n${asked.join('\n\n')}\n</said>\n<answer>\n${said.slice(-3_000)}\n</answer>`;
}
