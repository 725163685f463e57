// Which messages of a conversation the registry has anything to read in: what it told and what was
// found. There are few of them, and a long conversation is asked about before each request.
import { isTextBlock, isToolReferenceBlock, isToolResultBlock } from '../../core/blocks.ts';
import type { ToolResultBlock, UserBlock } from '../../core/blocks.ts';
import type { MessageParam } from '../../core/messages.ts';
import { readSystemReminder } from '../../core/system-reminder.ts';

interface Noted {
  /** How many messages were looked at, and the last of them. */
  length: number;
  last: MessageParam | undefined;
  readonly positions: number[];
}

const known = new WeakMap<readonly MessageParam[], Noted>();

/**
 * The positions of messages with reminders or finds. Of an array that has grown only what is new is
 * looked at; where the last message that was seen is no longer in its place, it was cut, and all is.
 */
export function findNotedMessages(messages: readonly MessageParam[]): readonly number[] {
  const noted = readNoted(messages);
  for (; noted.length < messages.length; noted.length += 1) {
    const message = messages[noted.length] as MessageParam;
    const { role, content } = message;
    if (role === 'user' && typeof content !== 'string' && content.some(isNoted)) {
      noted.positions.push(noted.length);
    }
    noted.last = message;
  }
  return noted.positions;
}

function readNoted(messages: readonly MessageParam[]): Noted {
  const seen = known.get(messages);
  if (seen && messages[seen.length - 1] === seen.last) return seen;
  const fresh: Noted = { length: 0, last: undefined, positions: [] };
  known.set(messages, fresh);
  return fresh;
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
