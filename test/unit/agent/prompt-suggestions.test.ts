// What the person may want to say next: a request of the small model's behind each turn.
import { expect, it } from 'vitest';
import { openSession } from '../../../src/agent/open-session.ts';
import { query } from '../../../src/agent/query.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import type { Model } from '../../../src/model/model.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { quickHost, readUntil } from '../../support/sessions/open-sessions.ts';
import { listModel, says } from '../../support/turns/play-turns.ts';

const isSuggestion = ({ type }: SDKMessage) => type === 'prompt_suggestion';
const isWarning = (message: SDKMessage) =>
  message.type === 'system' && message.subtype === 'informational';

async function open(smallModel: Model, answers: readonly string[], more?: Partial<QueryOptions>) {
  const model = listModel(
    'claude-test',
    answers.map((text) => says(text)),
  );
  const options = { host: await quickHost(), model, smallModel, promptSuggestions: true };
  return openSession({ ...options, ...more });
}

it('is guessed from the last words of both, and told behind the result', async () => {
  const small = listModel('small', [says('"Run the tests."\nOr not.'), says('')]);
  await using session = await open(small, ['I mended it. Shall I run the tests?', 'They pass.']);
  const { n } = await session.send('Mend it.');
  const told = await readUntil(session, isSuggestion, n);
  expect(told.at(-1)).toMatchObject({ type: 'prompt_suggestion', suggestion: 'Run the tests.' });
  const kinds = told.map(({ type }) => type);
  expect(kinds.indexOf('result')).toBeLessThan(kinds.indexOf('prompt_suggestion'));
  const [request] = small.requests;
  expect(request?.messages).toHaveLength(1);
  // Newer models think first, unasked.
  expect(request?.max_tokens).toBeGreaterThan(2_000);
  expect(JSON.stringify(request?.messages)).toContain('Shall I run the tests?');
  // Nothing of it is in the conversation, and where nothing is likely nothing is told.
  const second = await session.send('Yes.');
  const rest = await readUntil(session, ({ type }) => type === 'result', second.n);
  expect(JSON.stringify(rest)).not.toContain('Or not.');
});

it('ends with the next prompt', async () => {
  const { promise: released, resolve: release } = createDeferred();
  const { promise: isAsked, resolve: asked } = createDeferred();
  let requests = 0;
  // It answers late, and doesn't heed that it is stopped.
  const late: Model = {
    name: 'late',
    apiKeySource: 'none',
    async *stream() {
      const text = requests === 0 ? 'Late.' : 'Now.';
      requests += 1;
      asked();
      await released;
      yield* toEvents(says(text));
    },
  };
  await using session = await open(late, ['One.', 'Two.', 'Three.']);
  const first = await session.send('First?');
  await isAsked;
  const second = await session.send('Second?');
  const turned = ({ type, n = 0 }: SDKMessage) => type === 'result' && n > second.n;
  const told: SDKMessage[] = [];
  for await (const message of session.messages({ after: first.n })) {
    told.push(message);
    if (isSuggestion(message)) break;
    if (turned(message)) release();
  }
  // That of the second turn alone.
  expect(told.filter(isSuggestion)).toMatchObject([{ suggestion: 'Now.' }]);
});

it('says why there is none where the model fails', async () => {
  const failing = listModel('small', []);
  await using session = await open(failing, ['One.']);
  const { n } = await session.send('First?');
  const told = await readUntil(session, isWarning, n);
  expect(told.at(-1)).toMatchObject({ level: 'warning' });
});

it('needs a small model, and is none of a query with one prompt', async () => {
  const host = await quickHost();
  const model = listModel('claude-test', [says('One.')]);
  const options = { host, model, promptSuggestions: true };
  expect(() => query({ prompt: 'First?', options })).toThrow('give one');
  const small = listModel('small', [says('Next.')]);
  const told: SDKMessage[] = [];
  for await (const message of query({
    prompt: 'First?',
    options: { ...options, smallModel: small },
  })) {
    told.push(message);
  }
  expect(told.filter(isSuggestion)).toEqual([]);
  expect(small.requests).toEqual([]);
});
