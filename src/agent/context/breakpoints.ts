// Chooses the cache breakpoints of a request. create-request.ts places them in each request, and
// the Anthropic adapter writes them. Pure: they follow from the request, so a resumed session
// places the same ones.
import { isEmptyText } from '../../core/messages/blocks.ts';
import type { MessageParam } from '../../core/messages/messages.ts';
import type { BlockPosition, Breakpoints, CacheTtl, ModelRequest } from '../../model/model.ts';

/** Values that the request alone doesn't contain. */
export interface BreakpointOptions {
  readonly ttl: CacheTtl;
  /** How many tools at the beginning are the same in each request; none of them is deferred. */
  readonly steadyTools: number;
  /**
   * The first message that has changed since it was sent, if it is before the newest reply: a note
   * of Snip.
   */
  readonly cutAt?: number | undefined;
}

/**
 * At most four, the limit of the API: after the steady tools, the system prompt, the previous request and this one.
 * The API has cached the conversation up to the previous request's end, but looks back only over 20 blocks from a
 * breakpoint. So after a message with more calls it wouldn't find that position from the end alone. If parts were
 * removed, the position is the end of the request that has added them. That is the last cached position before them.
 */
export function placeBreakpoints(
  { system, messages }: Pick<ModelRequest, 'system' | 'messages'>,
  { ttl, steadyTools, cutAt = Infinity }: BreakpointOptions,
): Breakpoints {
  const end = findEnd(messages, messages.length - 1);
  // The last request ended before the model's last message.
  const reply = messages.findLastIndex(({ role }) => role === 'assistant');
  const previous = findEnd(messages, Math.min(reply, cutAt) - 1);
  return {
    ttl,
    ...(steadyTools > 0 && { tool: steadyTools - 1 }),
    ...(system.length > 0 && { system: system.length - 1 }),
    messages: [...(previous && !isSame(previous, end) ? [previous] : []), ...(end ? [end] : [])],
  };
}

/** The last block up to that message that may have a breakpoint. */
function findEnd(messages: readonly MessageParam[], last: number): BlockPosition | undefined {
  for (let message = last; message >= 0; message -= 1) {
    const content = messages[message]?.content ?? [];
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    const block = blocks.findLastIndex(takesBreakpoint);
    if (block >= 0) return { message, block };
  }
  return undefined;
}

/**
 * The kinds of blocks that may have `cache_control` by the API's reference, read on 2026-11-23.
 * Thinking may not. The API refuses `cache_control` on an empty text.
 */
const takesIt =
  /^(?:text|image|document|search_result|container_upload|compaction|(?:server_|mcp_)?tool_use|(?:\w+_)?tool_result)$/u;

function takesBreakpoint(block: { readonly type: string }): boolean {
  return takesIt.test(block.type) && !isEmptyText(block);
}

function isSame(one: BlockPosition, other: BlockPosition | undefined): boolean {
  return one.message === other?.message && one.block === other.block;
}
