// What fills the model's window, as a meter is told it.
import { expect, it } from 'vitest';
import { openSession } from '../../../../src/agent/open-session.ts';
import { query } from '../../../../src/agent/query.ts';
import { createScriptedModel } from '../../../../src/model/scripted.ts';
import {
  isResult,
  quickHost,
  readUntil,
  silentModel,
} from '../../../support/sessions/open-sessions.ts';

const says = (text: string) => ({ blocks: [{ type: 'text', text }] as const });
const script = { name: 'two', turns: [says('One. '.repeat(200)), says('Two.')] };

it('grows with the conversation, by what takes it, up to where it is summed up', async () => {
  const host = await quickHost();
  const options = { script, contextWindow: 50_000, maxTokens: 10_000 };
  const model = createScriptedModel(options);
  await using session = await openSession({ host, model, sessionId: 's1' });
  expect(await session.getContextUsage()).toMatchObject({ totalTokens: 0, categories: [] });
  const { n } = await session.send('First?');
  await readUntil(session, isResult, n);
  const first = await session.getContextUsage();
  expect(first).toMatchObject({
    model: 'scripted:two',
    maxTokens: 50_000,
    autoCompactThreshold: 37_500,
    percentage: (first.totalTokens / 50_000) * 100,
  });
  expect(first.categories.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['prompts', 'replies', 'system prompt and tools']),
  );
  const sum = first.categories.reduce((all, { tokens }) => all + tokens, 0);
  expect(sum).toBeGreaterThanOrEqual(first.totalTokens);
  const second = await session.send('Second?');
  await readUntil(session, isResult, second.n);
  const { totalTokens } = await session.getContextUsage();
  expect(totalTokens).toBeGreaterThan(first.totalTokens);
});

it('is told of a query too, without a share of a window that nobody knows', async () => {
  const conversation = query({
    prompt: 'First?',
    options: { host: await quickHost(), model: silentModel },
  });
  await conversation.next();
  const usage = await conversation.getContextUsage();
  expect(usage).toMatchObject({ model: 'silent' });
  expect(usage).not.toHaveProperty('percentage');
  await conversation.return();
});
