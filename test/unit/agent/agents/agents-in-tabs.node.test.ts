// Sub-agents of a session that several tabs have open.
import { expect, it, onTestFinished } from 'vitest';
import type { AgentSession } from '../../../../src/agent/agent-session.ts';
import { openSession } from '../../../../src/agent/open-session.ts';
import type { QueryOptions } from '../../../../src/agent/query-options.ts';
import { createAgentsModel } from '../../../support/models/agents-model.ts';
import { isResult, readUntil } from '../../../support/sessions/open-sessions.ts';
import { callTool, say } from '../../../support/turns/run-hooked.ts';
import { openTabs } from '../../../support/sessions/session-tabs.ts';

const write = callTool('Write', { file_path: '/workspace/a', content: 'x' }, 'call-w');
const begin = callTool(
  'Agent',
  { description: 'Write it', prompt: 'Write a.', run_in_background: false },
  'call-a',
);

const open = (options: QueryOptions): Promise<AgentSession> =>
  openSession({ toolSearch: false, ...options });

const toModel = () =>
  createAgentsModel({
    main: [begin, say('All done.')],
    'Write a.': [write, say('Written.')],
  });

it('asks in each tab what a sub-agent wants to know, also once another one runs it', async () => {
  const openTab = await openTabs();
  const [one, two, three] = [await openTab(), await openTab(), await openTab()];
  const first = await open({ host: one.host, model: toModel(), sessionId: 's1' });
  const second = await open({ host: two.host, model: toModel(), resume: 's1' });
  const third = await open({ host: three.host, model: toModel(), resume: 's1' });
  onTestFinished(() => third.close());
  onTestFinished(() => second.close());
  await first.send('Go.');
  await readUntil(third, () => third.state() === 'requires_action');
  const [question] = first.questions();
  expect(question).toMatchObject({ toolName: 'Write', agentID: expect.any(String) as string });
  expect(third.questions()).toEqual([question]);
  one.kill();
  await readUntil(third, () => second.role() === 'runner' && third.state() === 'requires_action');
  expect(third.questions()).toEqual([question]);
  await third.answer(question?.requestId ?? '', { behavior: 'allow' });
  await readUntil(third, isResult);
  expect(await two.host.workspace.fs.readFile('/workspace/a', 'utf8')).toBe('x');
});
