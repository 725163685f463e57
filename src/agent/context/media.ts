// Images and documents of a conversation, which weigh much and have few tokens. Used by compactions.
import { isRecord } from '../../core/values/is-record.ts';
import type { MessageParam } from '../../core/messages/messages.ts';

/** The characters of base64 in the message. */
export function countMediaChars({ content }: MessageParam): number {
  if (typeof content === 'string') return 0;
  return content.reduce((count, block) => count + charsOf(block), 0);
}

/** With a word in the place of each image and document, also in results. The array itself where there is none. */
export function withoutMedia(messages: readonly MessageParam[]): readonly MessageParam[] {
  if (messages.every((message) => countMediaChars(message) === 0)) return messages;
  return messages.map((message) => {
    if (countMediaChars(message) === 0 || typeof message.content === 'string') return message;
    return { ...message, content: message.content.map(toWord) } as MessageParam;
  });
}

function charsOf(block: object): number {
  if ('source' in block && isRecord(block.source)) {
    const { data } = block.source;
    return typeof data === 'string' ? data.length : 0;
  }
  if (!('content' in block) || !Array.isArray(block.content)) return 0;
  return block.content.reduce((count: number, inner: object) => count + charsOf(inner), 0);
}

function toWord<T extends { readonly type: string }>(block: T): object {
  if (charsOf(block) === 0) return block;
  if ('source' in block) return { type: 'text', text: `(Here was: ${block.type}.)` };
  const { content } = block as T & { readonly content: readonly T[] };
  return { ...block, content: content.map(toWord) };
}
