// What a person said, as they gave it: to `send` of a session, or by the iterable of a query.
import { SdkError } from '../../core/errors.ts';
import { isEmptyText, isTextBlock } from '../../core/messages/blocks.ts';
import type { SDKUserMessage } from '../../core/messages/sdk-message.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { isUserMessage } from '../journal/check-journal.ts';
import type { Prompt } from './between-turns.ts';

/**
 * The prompt that a turn can begin with, without empty texts beside its other blocks: the API would refuse it in each later
 * request. `who` begins the sentence: "send takes".
 *
 * @throws SdkError `bad-usage` for what is neither a text nor a message that can be sent, and for one that is not to be
 * answered.
 */
export function toPrompt(prompt: string | SDKUserMessage, who: string): Prompt {
  if (typeof prompt === 'string' && prompt.trim() !== '') {
    return { message: { role: 'user', content: prompt } };
  }
  if (isRecord(prompt) && prompt['shouldQuery'] === false) {
    throw new SdkError(
      'bad-usage',
      'A prompt has shouldQuery: false, which is not here yet: each prompt is answered. Put its text before that of the next one.',
    );
  }
  if (typeof prompt === 'object' && isSendable(prompt)) return withoutEmptyTexts(prompt);
  throw new SdkError(
    'bad-usage',
    `${who} a text that isn't empty, or a message { type: 'user', message: { role: 'user', content: 'Hello' }, parent_tool_use_id: null }. Blocks have a type, those of type text a text, and a uuid is a text.`,
    {},
  );
}

function isSendable(prompt: unknown): boolean {
  if (!isRecord(prompt)) return false;
  const { uuid = '', message } = prompt;
  if (typeof uuid !== 'string' || !isUserMessage(message)) return false;
  const { content } = message as SDKUserMessage['message'];
  if (typeof content === 'string') return content.trim() !== '';
  return content.every(hasText) && !content.every(isEmptyText);
}

function hasText(block: { readonly type: string; readonly text?: unknown }): boolean {
  return !isTextBlock(block) || typeof block.text === 'string';
}

function withoutEmptyTexts(prompt: SDKUserMessage): SDKUserMessage {
  const { content } = prompt.message;
  if (typeof content === 'string' || !content.some(isEmptyText)) return prompt;
  const said = content.filter((block) => !isEmptyText(block));
  return { ...prompt, message: { ...prompt.message, content: said } };
}
