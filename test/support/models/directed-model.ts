// A model whose replies the test decides at each request, for conversations that depend on
// concurrent events.
import type { ContentBlock, ToolUseBlock } from '../../../src/core/messages/blocks.ts';
import type { MessageParam } from '../../../src/core/messages/messages.ts';
import type { Model } from '../../../src/model/model.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { assistantMessage } from './model-streams.ts';

/** One request that waits for its reply. */
export interface Asked {
  /** The conversation as it was sent. */
  readonly messages: readonly MessageParam[];
  /** The texts after the model's last message, including tool results, joined. */
  readonly news: string;
  call(...calls: readonly Omit<ToolUseBlock, 'type'>[]): void;
  say(text: string): void;
}

export interface DirectedModel extends Model {
  /** Waits for the next request. */
  next(): Promise<Asked>;
}

export function createDirectedModel(): DirectedModel {
  const open: Asked[] = [];
  let wake: () => void = () => {};
  return {
    name: 'directed',
    apiKeySource: 'none',
    async next() {
      while (open.length === 0) await new Promise<void>((resolve) => void (wake = resolve));
      return open.shift() as Asked;
    },
    async *stream({ messages }, { signal }) {
      const blocks = await new Promise<readonly ContentBlock[]>((reply, refuse) => {
        signal.addEventListener('abort', () => refuse(signal.reason));
        open.push({
          messages: [...messages],
          news: toTexts(messages).join('\n'),
          call: (...calls) => reply(calls.map((call) => ({ type: 'tool_use', ...call }))),
          say: (text) => reply([{ type: 'text', text }]),
        });
        wake();
      });
      const stop_reason = blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
      yield* toEvents(assistantMessage(blocks, { stop_reason }));
    },
  };
}

/** The texts of everything after the model's last message. */
function toTexts(messages: readonly MessageParam[]): string[] {
  const after = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1);
  return after.flatMap(({ content }) => {
    if (typeof content === 'string') return [content];
    return content.flatMap((block) => {
      if ('text' in block) return [String(block.text)];
      if (!('content' in block)) return [];
      if (!Array.isArray(block.content)) return [String(block.content)];
      return block.content.flatMap((part) => ('text' in part ? [String(part.text)] : []));
    });
  });
}
