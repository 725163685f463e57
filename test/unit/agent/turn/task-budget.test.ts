// A turn's budget of tokens, as the model is told of it.
import { expect, it } from 'vitest';
import { query } from '../../../../src/agent/query.ts';
import { isCompactionPrompt } from '../../../../src/core/messages/compaction-messages.ts';
import type { Model, ModelRequest } from '../../../../src/model/model.ts';
import { toEvents } from '../../../../src/model/to-events.ts';
import { quickHost } from '../../../support/sessions/open-sessions.ts';
import { asks, listModel, playTurns, says } from '../../../support/turns/play-turns.ts';

const taskBudget = { total: 200_000 };

/** Five calls that write 10 000 tokens each, and an end; each result adds 100. Summaries are short. */
function writer() {
  const requests: ModelRequest[] = [];
  let input_tokens = 1_000;
  let calls = 0;
  const model: Model = {
    name: 'writer',
    apiKeySource: 'none',
    maxTokens: 12_000,
    contextWindow: 56_000,
    async *stream(request) {
      requests.push(request);
      if (requests.length > 30) throw new Error('It writes without end.');
      const isSummary = isCompactionPrompt(request.messages.at(-1));
      const isEnd = !isSummary && calls >= 5;
      if (!isSummary) calls += 1;
      const input = { file_path: 'long.txt', content: `${'x'.repeat(40_000)}${calls}` };
      const reply =
        isSummary || isEnd
          ? says('Well.')
          : asks({ type: 'tool_use', id: `w${calls}`, name: 'Write', input });
      const usage = { input_tokens, output_tokens: isSummary || isEnd ? 10 : 10_000 };
      input_tokens = isSummary ? 12_000 : input_tokens + usage.output_tokens + 100;
      yield* toEvents({ ...reply, usage, model: 'writer' });
    },
  };
  return { model, requests };
}

it('is the same for each request, while the conversation has the whole turn', async () => {
  const write = (id: string) =>
    asks({ type: 'tool_use', id, name: 'Write', input: { file_path: `${id}.txt`, content: 'x' } });
  const model = listModel('m', [write('one'), write('two'), says('Done.')]);
  await playTurns({ model, taskBudget, permissionMode: 'acceptEdits' });
  expect(model.requests.map((request) => request.taskBudget)).toEqual([
    ...[taskBudget, taskBudget, taskBudget],
  ]);
});

it('says what is left once the conversation was summed up during the turn', async () => {
  const { model, requests } = writer();
  await playTurns({ model, taskBudget, permissionMode: 'acceptEdits' }, ['Write.']);
  const at = requests.findIndex(({ messages }) => isCompactionPrompt(messages.at(-1)));
  expect(at).toBeGreaterThan(1);
  const [before, after] = [requests.slice(0, at), requests.slice(at + 1)];
  expect(before.map((request) => request.taskBudget)).toEqual(before.map(() => taskBudget));
  // What was written by then, and the results between.
  const remaining = taskBudget.total - at * 10_000 - (at - 1) * 100;
  expect(after.length).toBeGreaterThan(1);
  expect(after.map((request) => request.taskBudget)).toEqual(
    after.map(() => ({ ...taskBudget, remaining })),
  );
});

it('begins anew with each turn, and isn’t a sub-agent’s', async () => {
  const { model, requests } = writer();
  await playTurns({ model, taskBudget, permissionMode: 'acceptEdits' }, ['Write.', 'And now?']);
  expect(requests.at(-1)?.taskBudget).toEqual(taskBudget);
  const agent = { description: 'x', prompt: 'Look.', run_in_background: false };
  const leader = listModel('m', [
    asks({ type: 'tool_use', id: 'a', name: 'Agent', input: agent }),
    ...[says('Seen.'), says('Done.')],
  ]);
  await playTurns({ model: leader, taskBudget });
  expect(leader.requests.map((request) => request.taskBudget)).toEqual([
    ...[taskBudget, undefined, taskBudget],
  ]);
});

it.each([{ total: 0 }, { total: 1.5 }, { total: 5, type: 'tokens' }, 5])(
  '%j is refused',
  async (given) => {
    const options = { host: await quickHost(), model: listModel('m', []), taskBudget: given };
    expect(() => query({ prompt: 'x', options: options as never })).toThrow(
      'taskBudget is { total }',
    );
  },
);
