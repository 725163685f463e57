// Which messages of a conversation the registry has anything to read in: what it told and what was
// found. There are few of them, and a long conversation is asked about before each request.
import { isTextBlock, isToolReferenceBlock, isToolResultBlock } from '../../core/blocks.ts';
import type { ToolResultBlock, UserBlock } from '../../core/blocks.ts';
import type { MessageParam } from '../../core/messages.ts';
import { readSystemReminder } from '../../core/system-reminder.ts';

interface Noted {
  /** How many messages were looked at. */
  length: number;
  readonly positions: number[];
}

const known = new WeakMap<readonly MessageParam[], Noted>();

/**
 * The positions of messages with reminders or finds. The array must grow only at its end, as a
 * session's does: each message is looked at once.
 */
export function findNotedMessages(messages: readonly MessageParam[]): readonly number[] {
  const noted = known.get(messages) ?? { length: 0, positions: [] };
  known.set(messages, noted);
  for (; noted.length < messages.length; noted.length += 1) {
    const { role, content } = messages[noted.length] as MessageParam;
    if (role === 'user' && typeof content !== 'string' && content.some(isNoted)) {
      noted.positions.push(noted.length);
    }
  }
  return noted.positions;
}

/** The messages at those positions. */
export function listNotedMessages(messages: readonly MessageParam[]): MessageParam[] {
  return findNotedMessages(messages).map((at) => messages[at] as MessageParam);
}

/** A find: a result that refers to tools. */
export function hasReferences(block: UserBlock): block is ToolResultBlock {
  return (
    isToolResultBlock(block) &&
    typeof block.content === 'object' &&
    block.content.some(isToolReferenceBlock)
  );
}

function isNoted(block: UserBlock): boolean {
  return isTextBlock(block) ? readSystemReminder(block.text) !== undefined : hasReferences(block);
}
