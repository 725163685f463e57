// Where a request's cache breakpoints go. create-request.ts places them in each request, and the Anthropic
// adapter writes them. Pure: they follow from the request, so a resumed session places the same ones.
import { isEmptyText } from '../../core/messages/blocks.ts';
import type { MessageParam } from '../../core/messages/messages.ts';
import type { BlockPosition, Breakpoints, CacheTtl, ModelRequest } from '../../model/model.ts';

/** What the request alone doesn't say. */
export interface BreakpointOptions {
  readonly ttl: CacheTtl;
  /** How many tools at the head are the same in each request; none of them is deferred. */
  readonly steadyTools: number;
  /**
   * The first message that has changed since it was sent, if one before the newest reply has: a
   * note of Snip.
   */
  readonly cutAt?: number | undefined;
}

/**
 * At most four, as many as the API takes. They are the end of the steady tools, of the system
 * prompt, of the previous request and of this one.
 *
 * The previous request's end is what the API has already. From a breakpoint it looks back over 20
 * blocks only. So after a message with more calls it wouldn't find that place from the end alone.
 * Where something was taken out, the place is the end of the request by which it came. That is the
 * last place before it that the API has.
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

/** The last block up to that message which takes a breakpoint. */
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
 * The kinds of blocks for which the API's reference has `cache_control`, read on 2026-11-23.
 * Thinking is none of them. The API refuses `cache_control` on an empty text.
 */
const takesIt =
  /^(?:text|image|document|search_result|container_upload|compaction|(?:server_|mcp_)?tool_use|(?:\w+_)?tool_result)$/u;

function takesBreakpoint(block: { readonly type: string }): boolean {
  return takesIt.test(block.type) && !isEmptyText(block);
}

function isSame(one: BlockPosition, other: BlockPosition | undefined): boolean {
  return one.message === other?.message && one.block === other.block;
}
