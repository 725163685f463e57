// Compactions and clearings in a session that is kept, and killed at random. Each request must be one that the API
// takes, and the entries must give the conversation that was there. Killed at each entry: journal/kill-matrix.
import { expect, it } from 'vitest';
import {
  isCompactionPrompt,
  readSummaryMessage,
} from '../../../src/core/messages/compaction-messages.ts';
import type { Model } from '../../../src/model/model.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { listBreaches } from '../../support/models/api-rules.ts';
import { createDisk, playSession } from '../../support/sessions/kept-session.ts';
import { assistantMessage } from '../../support/models/model-streams.ts';
import { createRandom } from '../../support/random.ts';
import { runsHere } from '../../support/runs-here.ts';
import { foldEntries } from '../../support/sessions/journals.ts';

/** Replies of any size; it counts at four characters a token, and refuses what doesn't fit. */
function randomModel(random: ReturnType<typeof createRandom>, breaches: string[]): Model {
  let calls = 0;
  const contextWindow = random.pick([40_000, 80_000]);
  return {
    name: 'random',
    apiKeySource: 'none',
    ...(random.chance(0.8) && { contextWindow }),
    maxTokens: 4_000,
    async *stream({ system, tools, messages }) {
      breaches.push(...listBreaches(messages));
      if (messages.at(-1)?.role !== 'user') breaches.push('it ends with the assistant');
      const summaries = messages.filter((message) => readSummaryMessage(message));
      if (summaries.length > 1) breaches.push('it has two summaries');
      const input_tokens = JSON.stringify({ system, tools, messages }).length >> 2;
      const isSummary = isCompactionPrompt(messages.at(-1));
      const asks = !isSummary && random.chance(0.8);
      const size = random.below(isSummary ? 8_000 : 24_000);
      const toCall = () => {
        calls += 1;
        const file_path = random.pick(['a.txt', 'b.txt']);
        const isRead = random.chance(0.5);
        const input = isRead ? { file_path } : { file_path, content: 'a b\n'.repeat(size >> 2) };
        return { type: 'tool_use', id: `call-${calls}`, name: isRead ? 'Read' : 'Write', input };
      };
      const text = isSummary && random.chance(0.1) ? ' ' : `So. ${'y'.repeat(asks ? 10 : size)}`;
      const content = [
        { type: 'text', text },
        ...(asks ? Array.from({ length: 1 + random.below(2) }, toCall) : []),
      ];
      const isFull = input_tokens > contextWindow;
      const stop_reason = isFull ? 'model_context_window_exceeded' : asks ? 'tool_use' : 'end_turn';
      const usage = { input_tokens, output_tokens: JSON.stringify(content).length >> 2 };
      yield* toEvents(assistantMessage(content, { stop_reason, usage }));
    },
  };
}

it.each(Array.from({ length: runsHere(20) }, (_, index) => index + 1))(
  'after compactions at random each request is one that the API takes (seed %i)',
  async (seed) => {
    const random = createRandom(seed);
    const breaches: string[] = [];
    const disk = createDisk();
    const play = (freezeAfter: number) =>
      playSession(disk, {
        prompts: Array.from({ length: 8 }, (_, at) => `Prompt ${at}.`),
        model: randomModel(random, breaches),
        permissionMode: 'bypassPermissions',
        freezeAfter,
      });
    const killed = random.chance(0.5) ? await play(20 + random.below(100)) : undefined;
    const played = killed && !killed.isFrozen ? killed : await play(Infinity);
    expect(breaches).toEqual([]);
    expect(JSON.stringify(foldEntries(played.entries).messages)).toBe(
      JSON.stringify(played.fold.messages),
    );
    // Never two without a request between.
    const steps = played.entries.filter(({ type }) => type === 'compacted' || type === 'request');
    const pairs = steps.filter(
      (entry, at) => entry.type === 'compacted' && steps[at - 1]?.type === 'compacted',
    );
    expect(pairs).toEqual([]);
  },
);
