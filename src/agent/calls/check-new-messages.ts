// The messages that a tool adds to the conversation, as they may be sent. A tool without types may give
// anything, and what the API refuses would stand in the conversation and fail each request from then on.
import type { MessageParam } from '../../core/messages.ts';
import { toSystemReminder } from '../../core/system-reminder.ts';

/**
 * A copy of them: what the tool does to its own later, the conversation doesn't see. A `system` message
 * becomes a reminder, as the API takes none in its midst.
 *
 * @throws TypeError that names the place and what is wrong there.
 */
export function checkNewMessages(given: unknown): readonly MessageParam[] {
  if (!Array.isArray(given)) throw new TypeError('its newMessages are no list');
  // As data: what can't be written as JSON can't be sent.
  const copy = JSON.parse(JSON.stringify(given)) as unknown[];
  return copy.map((message, at) => toMessage(message, `its newMessages[${at}]`));
}

function toMessage(message: unknown, place: string): MessageParam {
  const { role, content } = toFields(message);
  if (role === 'system') {
    if (isFullText(content)) return toSystemReminder(content);
    throw new TypeError(`${place}.content must be a text, as its role is system`);
  }
  if (role !== 'user' && role !== 'assistant') {
    throw new TypeError(`${place}.role must be user, assistant or system`);
  }
  if (isFullText(content)) return { role, content };
  if (!Array.isArray(content) || content.length === 0) {
    throw new TypeError(`${place}.content must be a text, or a list of blocks, and not empty`);
  }
  const wrong = content.findIndex((block) => !isBlock(block, role));
  if (wrong >= 0) throw new TypeError(`${place}.content[${wrong}] can't be sent: ${what}`);
  return { role, content };
}

const what =
  "a block has a type, one of text has a text, an image is the user's and has a source, and calls, results and thinking are none of its business";

/** Calls and results need their other half beside them, which only the loop sees to; thinking its signature. */
const notTheirs = /(?:^|_)(?:tool_use|tool_result|thinking)$/u;

function isBlock(block: unknown, role: 'user' | 'assistant'): boolean {
  const { type, text, source } = toFields(block);
  if (type === 'text') return isFullText(text);
  if (type === 'image') return role === 'user' && typeof source === 'object' && source !== null;
  return typeof type === 'string' && type !== '' && !notTheirs.test(type);
}

/** The API takes no empty text. */
function isFullText(text: unknown): text is string {
  return typeof text === 'string' && text.trim() !== '';
}

function toFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
