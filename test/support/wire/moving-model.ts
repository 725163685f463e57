// A model for sessions that move: by its replies it shows whether files, variables and transcript came along.
import { isToolResultBlock, isToolUseBlock } from '../../../src/core/messages/blocks.ts';
import type { ContentBlock } from '../../../src/core/messages/blocks.ts';
import type { MessageParam } from '../../../src/core/messages/messages.ts';
import type { Model } from '../../../src/model/model.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { assistantMessage } from '../models/model-streams.ts';

/** Its calls by the number in the last prompt, then a word; by what the conversation has. */
export const movingModel: Model = {
  name: 'claude-test',
  apiKeySource: 'none',
  async *stream({ messages }) {
    const turn = Number(/Turn (\d+)/u.exec(JSON.stringify(messages.findLast(isPrompt)))?.[1]);
    const answered = new Set(messages.flatMap(listAnswered));
    const declare = turn === 0 ? 'let count = 1; count' : 'count += 1';
    const calls: ContentBlock[] = [
      {
        type: 'tool_use',
        id: `w-${turn}`,
        name: 'Write',
        input: { file_path: `${turn}.txt`, content: `${turn}` },
      },
      { type: 'tool_use', id: `r-${turn}`, name: 'Repl', input: { code: declare } },
    ];
    const open = calls.filter((call) => isToolUseBlock(call) && !answered.has(call.id));
    const content =
      open.length > 0 ? open.slice(0, 1) : [{ type: 'text', text: `Done ${turn}.` } as const];
    const stop_reason = open.length > 0 ? 'tool_use' : 'end_turn';
    const usage = { input_tokens: 10, output_tokens: 5 };
    yield* toEvents(assistantMessage(content, { stop_reason, usage }));
  },
};

const isPrompt = ({ role, content }: MessageParam) =>
  role === 'user' && JSON.stringify(content).includes('Turn ');

const listAnswered = ({ content }: MessageParam) =>
  typeof content === 'string'
    ? []
    : content.filter(isToolResultBlock).map((block) => block.tool_use_id);
