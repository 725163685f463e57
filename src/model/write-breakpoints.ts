// A request's cache breakpoints as the Messages API has them: `cache_control` on the blocks that the
// agent has chosen, and on no other. Used by anthropic-stream.ts and the tests' simulated cache.
import type { MessageParam } from '../core/messages/messages.ts';
import type { Breakpoints, CacheTtl, ModelRequest } from './model.ts';

type Block = { readonly type: string; readonly [field: string]: unknown };

/** The three parts of the request's body that can have breakpoints. Changes nothing that it is given. */
export function writeBreakpoints({ system, messages, tools, breakpoints }: ModelRequest) {
  const mark = breakpoints && toCacheControl(breakpoints.ttl);
  return {
    system: mark
      ? replaceAt(system, breakpoints.system, (block) => ({ ...block, ...mark }))
      : system,
    messages: writeInto(messages, breakpoints, mark),
    tools: mark ? replaceAt(tools, breakpoints.tool, (tool) => ({ ...tool, ...mark })) : tools,
  };
}

/** Five minutes are the API's default: they aren't written. */
function toCacheControl(ttl: CacheTtl) {
  return { cache_control: { type: 'ephemeral', ...(ttl === '1h' && { ttl }) } as const };
}

function writeInto(
  messages: readonly MessageParam[],
  breakpoints: Breakpoints | undefined,
  mark: object | undefined,
): readonly object[] {
  const written: object[] = messages.map(withoutOwn);
  for (const { message, block } of breakpoints?.messages ?? []) {
    const before = written[message] as { readonly content: string | readonly object[] } | undefined;
    if (!before) continue;
    const { content } = before;
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    written[message] = {
      ...before,
      content: replaceAt<object>(blocks, block, (one) => ({ ...one, ...mark })),
    };
  }
  return written;
}

/**
 * A prompt or a tool's message may have brought breakpoints of its own. With ours they'd be too
 * many.
 */
function withoutOwn(message: MessageParam): MessageParam {
  const { content } = message;
  if (typeof content === 'string' || !content.some(hasOwn)) return message;
  return { ...message, content: content.map((block) => strip(block as Block)) } as MessageParam;
}

function hasOwn(block: object): boolean {
  if ('cache_control' in block) return true;
  return 'content' in block && Array.isArray(block.content) && block.content.some(hasOwn);
}

function strip({ cache_control: _, ...block }: Block): object {
  const { content } = block;
  return Array.isArray(content) ? { ...block, content: content.map(strip) } : block;
}

function replaceAt<T>(list: readonly T[], at: number | undefined, replace: (one: T) => T) {
  return at === undefined ? list : list.map((one, index) => (index === at ? replace(one) : one));
}
