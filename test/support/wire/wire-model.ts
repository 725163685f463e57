// A model for sessions over a wire. It carries out the last prompt.
import type { ContentBlock } from '../../../src/core/messages/blocks.ts';
import type {
  AssistantMessage,
  MessageParam,
  ModelEvent,
} from '../../../src/core/messages/messages.ts';
import type { Model } from '../../../src/model/model.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { asks, says } from '../turns/play-turns.ts';

/** Its replies to `slow` stop in the middle, until they are released. */
export interface WireModel extends Model {
  release(): void;
}

/**
 * `write x` writes x into /workspace/a.txt. `two` writes two files in one reply. `cell x` runs x in Repl. `slow` says
 * `slowly ` a hundred times, waits, and ends. Any other prompt is repeated as the reply.
 */
export function createWireModel(): WireModel {
  let release: () => void = () => undefined;
  return {
    name: 'wire',
    apiKeySource: 'none',
    release: () => release(),
    async *stream({ messages }, { signal }) {
      const text = lastText(messages);
      if (text !== 'slow') {
        yield* toEvents(reply(text));
        return;
      }
      const events = [...toEvents(says('slowly '.repeat(100)), 7)];
      const half = events.findLastIndex(isDelta);
      yield* events.slice(0, half);
      await new Promise<void>((resolve, reject) => {
        release = resolve;
        const stop = () => reject(signal.reason as Error);
        signal.addEventListener('abort', stop, { once: true });
        if (signal.aborted) stop();
      });
      yield* events.slice(half);
    },
  };
}

const isDelta = ({ type }: ModelEvent) => type === 'content_block_delta';

function reply(text: string | undefined): AssistantMessage {
  if (text === undefined) return says('Done.');
  const write = (name: string, content: string): ContentBlock => ({
    type: 'tool_use',
    id: `call ${name} ${content}`,
    name: 'Write',
    input: { file_path: `/workspace/${name}.txt`, content },
  });
  if (text === 'two') return asks(write('one', '1'), write('two', '2'));
  if (text.startsWith('write ')) return asks(write('a', text.slice(6)));
  if (text.startsWith('cell ')) {
    const code = text.slice(5);
    return asks({ type: 'tool_use', id: `cell ${code}`, name: 'Repl', input: { code } });
  }
  return says(text);
}

/** Of the prompt; undefined where results have come since the last reply. */
function lastText(messages: readonly MessageParam[]): string | undefined {
  const news = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1);
  const blocks = news.flatMap(({ content }) =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : [...content],
  );
  if (blocks.some(({ type }) => type === 'tool_result')) return undefined;
  const texts = blocks.flatMap((block) => ('text' in block ? [String(block.text)] : []));
  return texts.findLast((text) => !text.startsWith('<')) ?? '';
}
