// Decides which blocks of the model's message stay in the conversation. Blocks stay unchanged and
// in order, thinking byte for byte. Of a message that was cut, only blocks stay that the API
// accepts. Used by the journal's fold.
import { isEmptyText } from '../../core/messages/blocks.ts';
import type { ContentBlock } from '../../core/messages/blocks.ts';
import type { AssistantMessage, MessageParam } from '../../core/messages/messages.ts';

/**
 * Stop reasons after which the message doesn't continue, so a server tool call without a result
 * gets none.
 */
const endsHere: ReadonlySet<string> = new Set([
  'max_tokens',
  'model_context_window_exceeded',
  'refusal',
]);

/** The blocks that stay; may be empty. `isWhole`: the message is complete. */
export function toKeptContent(
  { content, stop_reason }: AssistantMessage,
  isWhole: boolean,
): readonly ContentBlock[] {
  const said = content.filter((block) => !isEmptyText(block));
  if (isWhole && !endsHere.has(stop_reason ?? '')) return said;
  const kept = withoutCutThought(withoutOpenServerCalls(said));
  // Thinking alone is not a message: the answer was cut.
  return kept.every(isThought) ? [] : kept;
}

/**
 * The model's last messages, as they may be followed by any message except the server's own
 * results. Every later request would be refused because of a server tool call without a result.
 * Undefined for a message without remaining blocks; the same array if nothing changes. A continued
 * reply is several messages.
 */
export function closeServerCalls(
  replies: readonly MessageParam[],
): readonly (MessageParam | undefined)[] {
  const blocks = replies.map(({ role, content }) =>
    role === 'assistant' && typeof content !== 'string' ? content : [],
  );
  const answered = listAnswered(blocks.flat());
  const closed = replies.map((reply, at): MessageParam | undefined => {
    const said = blocks[at] ?? [];
    const content = withoutOpenServerCalls(said, answered);
    if (content.length === said.length) return reply;
    return content.every(isThought) ? undefined : { role: 'assistant', content };
  });
  return closed.every((reply, at) => reply === replies[at]) ? replies : closed;
}

function withoutOpenServerCalls(
  content: readonly ContentBlock[],
  answered: ReadonlySet<unknown> = listAnswered(content),
): readonly ContentBlock[] {
  const isOpen = (block: ContentBlock) =>
    serverCalls.has(block.type) && 'id' in block && !answered.has(block['id']);
  return content.filter((block) => !isOpen(block));
}

function listAnswered(content: readonly ContentBlock[]): ReadonlySet<unknown> {
  return new Set(
    content.flatMap((block) => ('tool_use_id' in block ? [block['tool_use_id']] : [])),
  );
}

const serverCalls: ReadonlySet<string> = new Set(['server_tool_use', 'mcp_tool_use']);

/** Thinking that was cut has no signature, so the API would refuse it in every later request. */
function withoutCutThought(content: readonly ContentBlock[]): readonly ContentBlock[] {
  const last = content.at(-1);
  const isCut = last?.type === 'thinking' && !('signature' in last && last.signature);
  return isCut ? content.slice(0, -1) : content;
}

function isThought({ type }: ContentBlock): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}
