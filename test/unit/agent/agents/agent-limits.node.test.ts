// How many agents a session begins and lets run, where it has gone back, or a call is taken up again.
import { expect, it, onTestFinished } from 'vitest';
import { createAgentMail } from '../../../../src/agent/agents/agent-mail.ts';
import type { MailPorts } from '../../../../src/agent/agents/agent-mail.ts';
import type { FoldedAgent } from '../../../../src/agent/journal/folded.ts';
import { openSession } from '../../../../src/agent/open-session.ts';
import { createAgentsModel } from '../../../support/models/agents-model.ts';
import { isResult, readUntil } from '../../../support/sessions/open-sessions.ts';
import { callTool, openHost, say, toResults } from '../../../support/turns/run-hooked.ts';
import { createTestSession } from '../../../support/stages/test-session.ts';

const task = (id: string) =>
  callTool('Agent', { description: 'Do it', prompt: 'One.', run_in_background: false }, id);

it('counts no agent that a rewind has taken back', async () => {
  await using host = await openHost();
  const most = Array.from({ length: 50 }, (_, at) => task(`call-${at}`));
  const scripts = (...calls: readonly ReturnType<typeof task>[]) => ({
    main: [...calls, say('Done.')],
    'One.': [say('One was here.')],
  });
  const session = await openSession({
    ...{ host, model: createAgentsModel(scripts(...most, task('call-x'))), toolSearch: false },
  });
  onTestFinished(() => session.close());
  const { uuid, n } = await session.send('Go.');
  const before = toResults(await readUntil(session, isResult, n));
  expect(before.at(-1)).toMatch(/^The session has begun 50 agents, as many as it may\./u);
  await session.rewind(uuid);
  await session.setModel(createAgentsModel(scripts(task('call-y'))));
  const next = await session.send('Go on.');
  const after = toResults(await readUntil(session, isResult, next.n));
  expect(after.at(-1)).toContain('One was here.');
});

it('asks for no room for a letter that was sent before its call was cut', async () => {
  const session = await createTestSession();
  const wanted: number[] = [];
  const news = new Map<string, unknown>();
  // The cast: as much of an agent at rest as mail needs.
  const agent = { record: { id: 'a1', name: 'ann' }, fold: { news } } as unknown as FoldedAgent;
  const ports: MailPorts = {
    list: () => [agent],
    open: () => Promise.resolve(session),
    isRunning: () => false,
    checkRoom: (count) => void wanted.push(count),
    wake: () => Promise.resolve(),
  };
  const mail = createAgentMail(session.journal, ports);
  await mail.send(session, 'ann', 'Hello.', 'call-1');
  await mail.send(session, 'ann', 'Hello.', 'call-1');
  expect(wanted).toEqual([1, 0]);
  expect(session.journal.fold.entries.filter(({ type }) => type === 'mail')).toHaveLength(1);
});
