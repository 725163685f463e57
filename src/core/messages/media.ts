// Replaces the images and documents of a conversation, which have many bytes but few tokens. Used by compactions, and
// when a server refuses one.
import { isRecord } from '../values/is-record.ts';
import type { MessageParam } from './messages.ts';

/** Counts the characters of base64 in the message. */
export function countMediaChars({ content }: MessageParam): number {
  if (typeof content === 'string') return 0;
  return content.reduce((count, block) => count + charsOf(block), 0);
}

/** Gives the text that replaces an image or a document, by its `type`. */
type Say = (type: string) => string;

/** Replaces each image and document by text, also in results. Returns the message itself if there is none. */
export function withoutMedia<T extends MessageParam>(message: T, say: Say): T {
  if (countMediaChars(message) === 0 || typeof message.content === 'string') return message;
  return { ...message, content: message.content.map((block) => toWords(block, say)) };
}

function charsOf(block: object): number {
  if ('source' in block && isRecord(block.source)) {
    const { data } = block.source;
    return typeof data === 'string' ? data.length : 0;
  }
  if (!('content' in block) || !Array.isArray(block.content)) return 0;
  return block.content.reduce((count: number, inner: object) => count + charsOf(inner), 0);
}

function toWords<T extends { readonly type: string }>(block: T, say: Say): object {
  if (charsOf(block) === 0) return block;
  if ('source' in block) return { type: 'text', text: say(block.type) };
  const { content } = block as T & { readonly content: readonly T[] };
  return { ...block, content: content.map((inner) => toWords(inner, say)) };
}
