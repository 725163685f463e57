// A person's prompt comes before what tasks tell: one that has news again and again must not keep it waiting.
import { expect, it, onTestFinished } from 'vitest';
import { openSession } from '../../../../src/agent/open-session.ts';
import { background, openTaskHost } from '../../../support/turns/background.ts';
import { createDirectedModel } from '../../../support/models/directed-model.ts';
import { readUntil } from '../../../support/sessions/open-sessions.ts';

it('is answered before the turn goes on with the end of a task, and told it as well', async () => {
  const host = await openTaskHost();
  onTestFinished(() => host[Symbol.asyncDispose]());
  const model = createDirectedModel();
  const session = await openSession({
    ...{ host, model, toolSearch: false },
    permissionMode: 'bypassPermissions',
  });
  onTestFinished(() => session.close());
  await session.send('Begin.');
  (await model.next()).call({ id: 'r', name: 'Repl', input: { code: '1 + 1', ...background } });
  const asked = await model.next();
  await readUntil(
    session,
    (message) => message.type === 'system' && message.subtype === 'task_notification',
  );
  await session.send('Stop it now.');
  asked.say('It runs.');
  const { news } = await model.next();
  expect(news).toContain('Stop it now.');
  expect(news).toContain('<task-notification>');
});
