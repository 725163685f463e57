// What of the model's message stays in the conversation: its blocks as they came, in their order, thinking byte for
// byte. A message that was cut keeps only what the API takes back. Used by the journal's fold.
import { isEmptyText } from '../../core/messages/blocks.ts';
import type { ContentBlock } from '../../core/messages/blocks.ts';
import type { AssistantMessage, MessageParam } from '../../core/messages/messages.ts';

/**
 * Stop reasons after which nothing of the message follows: a server's call without a result gets
 * none.
 */
const endsHere: ReadonlySet<string> = new Set([
  'max_tokens',
  'model_context_window_exceeded',
  'refusal',
]);

/** The blocks that stay, empty if none may. `isWhole`: the message's end has come. */
export function toKeptContent(
  { content, stop_reason }: AssistantMessage,
  isWhole: boolean,
): readonly ContentBlock[] {
  const said = content.filter((block) => !isEmptyText(block));
  if (isWhole && !endsHere.has(stop_reason ?? '')) return said;
  const kept = withoutCutThought(withoutOpenServerCalls(said));
  // Thoughts alone are no message: their answer was cut off.
  return kept.every(isThought) ? [] : kept;
}

/**
 * Returns the model's last messages as they may stand before something else than the server's own results. A server's
 * own call without a result would be refused in each later request. Undefined for one of which nothing stays; the same
 * array where all may. A reply that was gone on with is several messages.
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

/** A thought that was cut off has no signature yet: the API would refuse it in each later request. */
function withoutCutThought(content: readonly ContentBlock[]): readonly ContentBlock[] {
  const last = content.at(-1);
  const isCut = last?.type === 'thinking' && !('signature' in last && last.signature);
  return isCut ? content.slice(0, -1) : content;
}

function isThought({ type }: ContentBlock): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}
