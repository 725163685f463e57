// A page that is closed between a compaction and the request for which it was made. Who opens the
// session again doesn't sum up the summary.
import { expect, it } from 'vitest';
import {
  isCompactionPrompt,
  readSummaryMessage,
} from '../../../src/core/messages/compaction-messages.ts';
import type { ContentBlock } from '../../../src/core/messages/blocks.ts';
import type { Model } from '../../../src/model/model.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { createDisk, playSession } from '../../support/sessions/kept-session.ts';
import { assistantMessage } from '../../support/models/model-streams.ts';
import { callOf } from '../../support/stages/run-calls.ts';

/** Four characters a token. */
const textOf = (tokens: number) => 'x'.repeat(tokens * 4);
const write = (file_path: string, tokens: number) =>
  callOf('Write', { file_path, content: textOf(tokens) }, `call-${file_path}`);
const says = (text: string): ContentBlock => ({ type: 'text', text });

/** Writes two files, fills its window maybe, and is done once it has a summary. */
function toModel(contextWindow: number, overflows: boolean): Model {
  return {
    name: 'claude-test',
    apiKeySource: 'none',
    contextWindow,
    maxTokens: 1_000,
    async *stream({ messages }) {
      const reply = (content: ContentBlock, stop_reason: string) => {
        const input_tokens = JSON.stringify(messages).length >> 2;
        const usage = { input_tokens, output_tokens: JSON.stringify(content).length >> 2 };
        return toEvents(assistantMessage([content], { stop_reason, usage }));
      };
      const isSummedUp = messages.some((message) => readSummaryMessage(message) !== undefined);
      const replies = messages.filter(({ role }) => role === 'assistant').length;
      // As long as it has to be for a second one to find enough.
      if (isCompactionPrompt(messages.at(-1))) yield* reply(says(textOf(2_500)), 'end_turn');
      else if (isSummedUp) yield* reply(says('Done.'), 'end_turn');
      else if (replies === 0) yield* reply(write('a.txt', 8_000), 'tool_use');
      else if (replies === 1) yield* reply(write('b.txt', 10_500), 'tool_use');
      else yield* reply(says('I am'), overflows ? 'model_context_window_exceeded' : 'end_turn');
    },
  };
}

it.each([
  // What stays fills the smaller window still.
  ['before a request', 12_000, 'auto'],
  ['after an overflow', 40_000, 'overflow'],
] as const)('a compaction %s is done once', async (_, contextWindow, trigger) => {
  const options = {
    prompts: ['Go.'],
    model: toModel(contextWindow, trigger === 'overflow'),
    permissionMode: 'bypassPermissions',
    tools: ['Write'],
  } as const;
  const whole = await playSession(createDisk(), options);
  const compacted = whole.entries.filter((entry) => entry.type === 'compacted');
  expect(compacted).toMatchObject([{ trigger }]);
  const freezeAfter = whole.boundaries.find((end) => end >= (compacted[0]?.n ?? Infinity)) ?? 0;
  const disk = createDisk();
  const closed = await playSession(disk, { ...options, freezeAfter });
  expect(closed.isFrozen).toBe(true);
  const { entries, fold } = await playSession(disk, options);
  expect(entries.filter(({ type }) => type === 'compacted')).toHaveLength(1);
  expect(fold.lastResult?.message).toMatchObject({ subtype: 'success', result: 'Done.' });
});
