// The Messages API's rules for a conversation that a client can break. For tests that check that the API would accept
// every request.
import {
  isEmptyText,
  isToolResultBlock,
  isToolUseBlock,
} from '../../../src/core/messages/blocks.ts';
import type { ContentBlock, UserBlock } from '../../../src/core/messages/blocks.ts';
import type { MessageParam } from '../../../src/core/messages/messages.ts';

/** One side's turn. The API joins consecutive messages of one role. */
interface Side {
  readonly role: MessageParam['role'];
  readonly blocks: (ContentBlock | UserBlock)[];
}

/** What the API would refuse. Empty if it would accept the conversation. */
export function listBreaches(messages: readonly MessageParam[]): string[] {
  const sides: Side[] = [];
  const breaches: string[] = [];
  for (const { role, content } of messages) {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    if (blocks.length === 0) breaches.push('a message has no content');
    if (blocks.some(isEmptyText)) breaches.push('a text is empty');
    const last = sides.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else sides.push({ role, blocks: [...blocks] });
  }
  if (sides[0]?.role !== 'user') breaches.push('it does not begin with the user');
  for (const [at, { role, blocks }] of sides.entries()) {
    if (role === 'user') continue;
    const next = sides[at + 1];
    const calls = blocks.filter(isToolUseBlock).map(({ id }) => id);
    const results = (next?.blocks ?? [])
      .filter(isToolResultBlock)
      .map(({ tool_use_id }) => tool_use_id);
    if (JSON.stringify(calls) !== JSON.stringify(results)) {
      breaches.push(`calls ${calls.join()} are answered by ${results.join()}`);
    }
    const open = blocks.filter((block) => isOpen(block, blocks));
    // While a client's call is open, or the reply paused, the result may come with the next reply.
    const later = sides[at + 2]?.blocks ?? [];
    const stays = open.filter((block) => next && calls.length === 0 && isOpen(block, later));
    if (stays.length > 0) breaches.push('a call of the server has no result');
  }
  return breaches;
}

function isOpen(block: ContentBlock | UserBlock, blocks: Side['blocks']): boolean {
  if (block.type !== 'server_tool_use' || !('id' in block)) return false;
  return !blocks.some((other) => 'tool_use_id' in other && other['tool_use_id'] === block['id']);
}
