// A workflow whose page is gone: its agents end with it, the model is told, and a new run goes on from what was recorded.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { expect, it, onTestFinished } from 'vitest';
import { openSession } from '../../src/agent/open-session.ts';
import { createDeferred } from '../../src/core/async/deferred.ts';
import { createInlineHost } from '../../src/hosts/inline/create-inline-host.ts';
import { createMemoryMedium } from '../../src/workspace/drivers/memory.ts';
import type { LogMedium } from '../../src/workspace/log/log-medium.ts';
import { openWorkspace } from '../../src/workspace/open-workspace.ts';
import { createAgentsModel } from '../support/models/agents-model.ts';
import { isResult, readUntil } from '../support/sessions/open-sessions.ts';
import { callTool, say } from '../support/turns/run-hooked.ts';

const script = `export const meta = { name: 'test', description: 'A test' };
const a = await agent('Read a');
return a + ' ' + await agent('Read b');`;

const scripts = {
  main: [
    callTool('Workflow', { script }, 'flow'),
    say('It runs.'),
    callTool('Workflow', { resumeFromRunId: '{{flow:/run (wf_\\w+)/}}' }, 'again'),
    say('It runs again.'),
    say('Done.'),
  ],
  'Read a': [say('First.')],
  'Read b': [say('Second.')],
};

async function openHost(medium: LogMedium) {
  const workspace = await openWorkspace({ ...medium, close: async () => {} }, { name: 'kept' });
  return createInlineHost({ workspace, loadWasm: loadQuickjsWasm });
}

it('goes on after a kill from the agents that had ended, and leaves none that nobody waits for', async () => {
  const medium = createMemoryMedium();
  const never = new Promise<void>(() => {});
  const { promise: atWork, resolve: isAtWork } = createDeferred();
  const dying = createAgentsModel(scripts, (who) => {
    if (who !== 'Read b') return;
    isAtWork();
    return never;
  });
  const options = { toolSearch: false, allowedTools: ['Workflow'] };
  const killed = await openSession({ host: await openHost(medium), model: dying, ...options });
  await killed.send('Go.');
  await readUntil(killed, isResult);
  await atWork;

  const host = await openHost(medium);
  onTestFinished(() => host[Symbol.asyncDispose]());
  const model = createAgentsModel(scripts);
  const session = await openSession({ host, model, resume: killed.id, ...options });
  onTestFinished(() => session.close());
  await session.send('And?');
  const messages = await readUntil(
    session,
    (one) => isResult(one) && JSON.stringify(one).includes('"Done."'),
  );
  expect(model.requests.map(({ who }) => who)).toEqual(['main', 'main', 'Read b', 'main']);
  const ends = messages.flatMap((message) =>
    message.type === 'system' && message.subtype === 'task_notification'
      ? [[message.status, message.summary.split('\n')[0]]]
      : [],
  );
  expect(ends).toEqual([
    ['completed', 'Read a: First.'],
    ['stopped', expect.stringContaining('test')],
    [
      'stopped',
      'Read b: it was stopped. The task that has begun it ended when its session was cut off.',
    ],
    ['completed', 'Read b: Second.'],
    [
      'completed',
      expect.stringMatching(/^Workflow in the background \(wf_\w+\) is done: First\. Second\.$/u),
    ],
  ]);
  expect(JSON.stringify(model.requests.at(-1)?.request.messages)).toContain(
    '2 agents (1 replayed)',
  );
});
