// What is sent to a session that is open: prompts that can't be, and answers that come too late.
import { expect, it, onTestFinished } from 'vitest';
import { readEntries } from '../../../src/agent/journal/stored-journal.ts';
import { openSession } from '../../../src/agent/open-session.ts';
import type { SDKUserMessage } from '../../../src/core/messages/sdk-message.ts';
import { isResult, quickHost, readUntil } from '../../support/sessions/open-sessions.ts';
import { asks, listModel, says } from '../../support/turns/play-turns.ts';

it.each([
  ['a block that is none', { message: { role: 'user', content: [{ text: 'Hello' }] } }],
  ['null among its blocks', { message: { role: 'user', content: [null] } }],
  ['a uuid that is no text', { message: { role: 'user', content: 'Hello' }, uuid: 1 }],
])('a prompt with %s is refused: nobody could read the session again', async (_, prompt) => {
  const host = await quickHost();
  const model = listModel('claude-test', [says('One.')]);
  await using session = await openSession({ host, model, sessionId: 's1' });
  // The cast: what a caller without types may send.
  await expect(session.send(prompt as unknown as SDKUserMessage)).rejects.toMatchObject({
    code: 'bad-usage',
  });
  await session.send('First?');
  await readUntil(session, isResult);
  await session.close();
  await using again = await openSession({ host, model, resume: 's1' });
  expect(again.id).toBe('s1');
});

it('an answer says whether it counts, also where the turn is stopped at the same time', async () => {
  const host = await quickHost();
  const input = { file_path: '/workspace/a', content: 'x' };
  const write = asks({ type: 'tool_use', id: 'c1', name: 'Write', input });
  const model = listModel('claude-test', [write, says('Done.')]);
  const session = await openSession({ host, model, sessionId: 's1' });
  onTestFinished(() => session.close());
  await session.send('Write.');
  await readUntil(session, () => session.questions().length === 1);
  const [{ requestId = '' } = {}] = session.questions();
  const answering = session.answer(requestId, { behavior: 'allow' }).then(
    () => true,
    () => false,
  );
  await Promise.all([answering, session.interrupt()]);
  const entries = await readEntries(host.workspace, 's1');
  const answer = entries.find((entry) => entry.type === 'answer');
  expect(await answering).toBe(answer?.type === 'answer' && answer.result !== null);
});
