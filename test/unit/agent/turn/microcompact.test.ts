import { expect, it } from 'vitest';
import { query } from '../../../../src/agent/query.ts';
import { systemClock } from '../../../../src/core/async/system-clock.ts';
import { isToolResultBlock } from '../../../../src/core/messages/blocks.ts';
import type { ToolResultBlock } from '../../../../src/core/messages/blocks.ts';
import { createInlineHost } from '../../../../src/hosts/inline/create-inline-host.ts';
import type { ModelRequest } from '../../../../src/model/model.ts';
import { listBreaches } from '../../../support/models/api-rules.ts';
import { asks, listModel, says } from '../../../support/turns/play-turns.ts';
import { turnByTurn } from '../../../support/turns/turn-by-turn.ts';

const resultsOf = ({ messages }: ModelRequest): ToolResultBlock[] =>
  messages.flatMap(({ role, content }) =>
    role === 'user' && typeof content !== 'string' ? content.filter(isToolResultBlock) : [],
  );

/** 14 files of 2 500 tokens are read, one after the other; then a second prompt comes. */
async function play(waitsMs: number, contextWindow?: number, toId = (at: number) => `read-${at}`) {
  const reads = Array.from({ length: 14 }, (_, at) =>
    asks({ type: 'tool_use', id: toId(at), name: 'Read', input: { file_path: `f${at}.txt` } }),
  );
  const listed = listModel('list', [...reads, says('Read.'), says('Done.')]);
  // As a server counts them.
  const stream: typeof listed.stream = async function* (request, options) {
    const usage = { input_tokens: JSON.stringify(request).length >> 2, output_tokens: 1 };
    for await (const event of listed.stream(request, options)) {
      if (event.type === 'message_start') yield { ...event, message: { ...event.message, usage } };
      else yield event.type === 'message_delta' ? { ...event, usage } : event;
    }
  };
  const model = { ...listed, stream, ...(contextWindow !== undefined && { contextWindow }) };
  let offset = 0;
  await using host = await createInlineHost({
    clock: { ...systemClock, now: () => systemClock.now() + offset },
  });
  for (let at = 0; at < 14; at += 1) {
    await host.workspace.fs.writeFile(
      `/workspace/f${at}.txt`,
      `${at}\n${'line of text\n'.repeat(770)}`,
    );
  }
  async function* prompts() {
    for (const content of ['Read all.', `And now? ${'!'.repeat(40_000)}`]) {
      yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null } as const;
      offset += waitsMs;
    }
  }
  const { prompt, hear } = turnByTurn(prompts());
  const talk = query({ prompt, options: { host, model, permissionMode: 'bypassPermissions' } });
  const ends: string[] = [];
  for await (const message of talk) {
    if (message.type === 'result') ends.push(message.subtype);
    hear(message);
  }
  expect(ends).toEqual(['success', 'success']);
  const last = listed.requests.at(-1) as ModelRequest;
  const cleared = resultsOf(last).filter(({ content }) =>
    String(content).includes('was taken out'),
  );
  const paths = cleared.map(({ content }) => /It is in (\S+);/u.exec(String(content))?.[1] ?? '');
  const texts = await Promise.all(paths.map((path) => host.workspace.fs.readFile(path, 'utf8')));
  return { requests: listed.requests, last, cleared, texts };
}

it.each([
  ['the cache is cold', 5 * 60_000 + 1, undefined],
  ['more than 60 % of the window is full', 1_000, 112_000],
])('old results of reading calls give way to a line with a path when %s', async (...given) => {
  const [, waitsMs, contextWindow] = given;
  const { requests, last, cleared, texts } = await play(waitsMs, contextWindow);
  const results = resultsOf(last);
  expect(results).toHaveLength(14);
  // 20 000 tokens are five of them: the oldest.
  expect(cleared).toEqual(results.slice(0, cleared.length));
  expect(cleared).toHaveLength(5);
  const before = requests.at(-2) as ModelRequest;
  expect(texts[0]).toBe(resultsOf(before)[0]?.content);
  expect(listBreaches(last.messages)).toEqual([]);
  // What stands before the first of them is as it was, and what stands behind the last.
  const [first, end] = [0, 4].map((at) =>
    before.messages.findIndex((message) =>
      JSON.stringify(message).includes(`"tool_use_id":"read-${at}"`),
    ),
  ) as [number, number];
  expect(last.messages.slice(0, first)).toEqual(before.messages.slice(0, first));
  expect(last.messages.slice(end + 1, before.messages.length)).toEqual(
    before.messages.slice(end + 1),
  );
});

it('stay while the cache is warm', async () => {
  const { cleared } = await play(1_000);
  expect(cleared).toEqual([]);
});

it('are those that were meant, where a server gives each reply the same ids', async () => {
  const { requests, last, cleared, texts } = await play(1_000, 112_000, () => 'call_0');
  const before = resultsOf(requests.at(-2) as ModelRequest).map(({ content }) => content);
  expect(cleared).toEqual(resultsOf(last).slice(0, 5));
  expect(texts).toEqual(before.slice(0, 5));
  expect(
    resultsOf(last)
      .slice(5)
      .map(({ content }) => content),
  ).toEqual(before.slice(5));
});
