// Finds what a conversation says of tools and other news: its reminders, and the results of
// ToolSearch. It does so before each request, so it remembers where they are.
import {
  isTextBlock,
  isToolReferenceBlock,
  isToolResultBlock,
} from '../../core/messages/blocks.ts';
import type { ToolResultBlock, UserBlock } from '../../core/messages/blocks.ts';
import type { MessageParam } from '../../core/messages/messages.ts';
import { readSystemReminder } from '../../core/messages/system-reminder.ts';
import { listReminders } from '../../core/tool/tool-catalog.ts';

interface Noted {
  /** The number of scanned messages, and the last one. */
  length: number;
  last: MessageParam | undefined;
  readonly positions: number[];
}

const known = new WeakMap<readonly MessageParam[], Noted>();

/**
 * The positions of messages with reminders or results of ToolSearch. If the array has grown, only its new
 * part is scanned. If the last message that was seen has moved, the array was cut, and all of it is scanned.
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

/** The texts of all reminders in the conversation, in their order. */
export function listNotedReminders(messages: readonly MessageParam[]): string[] {
  return listReminders(listNotedMessages(messages));
}

/** True if the block is a result of ToolSearch with references to tools. */
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
