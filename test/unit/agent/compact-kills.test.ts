// Compactions and clearings in a session that is kept: killed at each entry, and at random. Each request must be
// one that the API takes, and the entries must give the conversation that was there.
import { describe, expect, it } from 'vitest';
import { SessionFold } from '../../../src/agent/journal/fold.ts';
import { isCompactionPrompt, readSummaryMessage } from '../../../src/core/compaction-messages.ts';
import type { JournalEntry } from '../../../src/core/journal.ts';
import type { Model, ModelRequest } from '../../../src/model/model.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { listBreaches } from '../../support/api-rules.ts';
import { createDisk, playSession } from '../../support/kept-session.ts';
import type { Played } from '../../support/kept-session.ts';
import { assistantMessage } from '../../support/model-streams.ts';
import { createRandom } from '../../support/random.ts';

const content = 'x'.repeat(20_000);
const write = (at: number) => ({
  blocks: [
    { type: 'text', text: `I write ${at}.` } as const,
    { type: 'tool_use', name: 'Write', input: { file_path: `f${at}.txt`, content } } as const,
  ],
});
const script = {
  turns: [
    ...Array.from({ length: 5 }, (_, at) => write(at)),
    { blocks: [{ type: 'text', text: 'All five.' } as const] },
    write(5),
    { blocks: [{ type: 'text', text: 'And the last.' } as const] },
  ],
};

/** With what it was asked, over all pages. */
function watched(requests: ModelRequest[]): Model {
  const model = createScriptedModel({ script, contextWindow: 32_000, maxTokens: 4_000 });
  return {
    ...model,
    stream(request, options) {
      requests.push({ ...request, messages: structuredClone(request.messages) });
      return model.stream(request, options);
    },
  };
}

const open = (
  disk: ReturnType<typeof createDisk>,
  requests: ModelRequest[],
  freezeAfter?: number,
) =>
  playSession(disk, {
    prompts: ['Write five.', 'And one more.'],
    model: watched(requests),
    permissionMode: 'bypassPermissions',
    ...(freezeAfter !== undefined && { freezeAfter }),
  });

const toCompacted = ({ entries }: Pick<Played, 'entries'>) =>
  entries.filter(({ type }) => type === 'compacted');

/** What is said, without the ids and numbers that another page may make otherwise. */
const toSaid = ({ entries }: Played) =>
  entries.flatMap((entry) =>
    entry.type === 'reply' && entry.end !== 'void'
      ? entry.message.content.flatMap((block) => ('text' in block ? [String(block.text)] : []))
      : [],
  );

function foldAgain(entries: readonly JournalEntry[]): SessionFold {
  const fold = new SessionFold();
  for (const entry of entries) fold.apply(entry);
  return fold;
}

describe('a compaction in a session that is killed', () => {
  it('is done once, wherever the page is killed, and the script goes on in its place', async () => {
    const whole = await open(createDisk(), []);
    expect(toCompacted(whole)).toHaveLength(1);
    expect(toSaid(whole).at(-1)).toBe('And the last.');
    const files = await whole.files();
    const compacted = toCompacted(whole)[0]?.n ?? 0;
    // Around the compaction each point; the others are the kill matrix's.
    const points = whole.boundaries.filter((n) => Math.abs(n - compacted) < 14);
    expect(points.length).toBeGreaterThan(5);
    for (const point of points) {
      const requests: ModelRequest[] = [];
      const disk = createDisk();
      const killed = await open(disk, requests, point);
      expect(killed.isFrozen).toBe(true);
      const resumed = await open(disk, requests);
      expect([point, toCompacted(resumed).length]).toEqual([point, 1]);
      expect([point, ...toSaid(resumed)]).toEqual([point, ...toSaid(whole)]);
      expect(await resumed.files()).toEqual(files);
      for (const { messages } of requests) expect(listBreaches(messages)).toEqual([]);
      // Asked for again only where its record never landed.
      const asked = requests.filter(({ messages }) => isCompactionPrompt(messages.at(-1)));
      expect(asked.length).toBeLessThanOrEqual(point < compacted ? 2 : 1);
      expect(foldAgain(resumed.entries).messages).toEqual(resumed.fold.messages);
    }
  });
});

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

it.each(Array.from({ length: 20 }, (_, index) => index + 1))(
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
    expect(JSON.stringify(foldAgain(played.entries).messages)).toBe(
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
