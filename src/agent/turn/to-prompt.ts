// Checks a person's prompt, which comes from a session's `send` or from the iterable of a query.
import { refuseUse } from '../../core/errors.ts';
import { isEmptyText, isTextBlock } from '../../core/messages/blocks.ts';
import type { SDKUserMessage } from '../../core/messages/sdk-message.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { isPriority, isUserMessage } from '../journal/check-journal.ts';
import type { Prompt } from './between-turns.ts';

/**
 * A valid prompt of a turn. Empty texts beside other blocks are removed, because the API would
 * refuse them in each later request. `who` begins the error's sentence: "send takes".
 * @throws SdkError `bad-usage` for a value that is neither a text nor a message that can be sent.
 * Also for a message that is not to be answered, that isn't a person's by its `origin`, or whose
 * `client_composed` isn't true. Also for a block that the API would refuse in each later request:
 * a model's own, a call's result, and an image or a document without a source. Blocks of unknown
 * types are sent as they are
 */
export function toPrompt(
  given: string | SDKUserMessage,
  who: string,
  takesUnanswered?: 'takesUnanswered',
): Prompt {
  if (typeof given === 'string' && given.trim() !== '') {
    return { message: { role: 'user', content: given } };
  }
  if (isRecord(given) && given['shouldQuery'] === false && !takesUnanswered) {
    refuseUse(
      'A prompt has shouldQuery: false, which an iterable of query alone takes. Put its text before that of the next one.',
      {},
    );
  }
  const prompt = isRecord(given)
    ? withPasted(withoutOrigin(given as unknown as SDKUserMessage))
    : given;
  if (isRecord(prompt) && ![undefined, true].includes(prompt['client_composed'] as true)) {
    refuseUse(
      'client_composed of a prompt is true: then it is no command. Leave it out where a slash may make one of it.',
      {},
    );
  }
  if (isRecord(prompt) && !isPriority(prompt['priority'])) {
    refuseUse("priority of a prompt is 'now', 'next' or 'later'. Leave it out for 'later'.", {});
  }
  if (typeof prompt === 'object' && isSendable(prompt)) {
    const { content } = prompt.message;
    const unsaid = typeof content === 'string' ? undefined : content.find(isUnsayable);
    if (unsaid) refuseBlock(unsaid);
    return withoutEmptyTexts(prompt);
  }
  refuseUse(
    `${who} a text that isn't empty, or a message { type: 'user', message: { role: 'user', content: 'Hello' }, parent_tool_use_id: null }. Blocks have a type, those of type text a text, and a uuid is a text.`,
    {},
  );
}

/**
 * A prompt with an origin runs no hooks of UserPromptSubmit and no command, because the session has written it. A
 * host's prompt must not say so.
 */
function withoutOrigin(prompt: SDKUserMessage): SDKUserMessage {
  const { origin, ...rest } = prompt;
  if (origin === undefined || (isRecord(origin) && origin['kind'] === 'human')) return rest;
  refuseUse(
    "origin of a prompt is { kind: 'human' }, or is left out. The session itself writes the prompts of other origins.",
    {},
  );
}

/** Pasted content must not be lost. */
function withPasted(prompt: SDKUserMessage): SDKUserMessage {
  const { pasted_content: pasted, ...rest } = prompt;
  if (pasted === undefined || !isRecord(prompt.message)) return prompt;
  const isEntry = (one: unknown) => typeof one === 'string' || Array.isArray(one);
  if (!Array.isArray(pasted) || !pasted.every(isEntry)) {
    refuseUse('pasted_content of a prompt is a list of texts, or of lists of blocks.', {});
  }
  const texts = (pasted as NonNullable<SDKUserMessage['pasted_content']>)
    .flatMap((one) => (typeof one === 'string' ? one : one.filter(isTextBlock).map(toText)))
    .filter((text) => typeof text === 'string' && text.trim() !== '');
  const { content } = prompt.message;
  const typed = typeof content === 'string' ? [{ type: 'text', text: content } as const] : content;
  const blocks = texts.map((text) => {
    return { type: 'text', text: `<pasted_content>\n${text}\n</pasted_content>` } as const;
  });
  return { ...rest, message: { ...prompt.message, content: [...typed, ...blocks] } };
}

const toText = ({ text }: { readonly text: string }) => text;

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

/**
 * Only a model's message has these blocks, or the message after its calls, which the session
 * writes.
 */
const unsayableTypes = ['tool_use', 'tool_result', 'thinking', 'redacted_thinking'];

function isUnsayable({ type, source }: { readonly type: string; readonly source?: unknown }) {
  const lacksSource = (type === 'image' || type === 'document') && !isRecord(source);
  return lacksSource || unsayableTypes.includes(type);
}

function refuseBlock({ type }: { readonly type: string }): never {
  refuseUse(
    unsayableTypes.includes(type)
      ? `A prompt has a block of type ${type}, which only the session itself writes. Give blocks of text, images and documents.`
      : `A prompt has a block of type ${type} without a source. Give it one, such as { type: 'base64', media_type: 'image/png', data }.`,
    { type },
  );
}

function withoutEmptyTexts(prompt: SDKUserMessage): SDKUserMessage {
  const { content } = prompt.message;
  if (typeof content === 'string' || !content.some(isEmptyText)) return prompt;
  const said = content.filter((block) => !isEmptyText(block));
  return { ...prompt, message: { ...prompt.message, content: said } };
}
