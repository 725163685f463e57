// Tasks whose page is gone have an end, whatever the session was doing: it can be rewound afterwards.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { expect, it, onTestFinished } from 'vitest';
import type { AgentSession } from '../../../../src/agent/agent-session.ts';
import type { Host } from '../../../../src/agent/host.ts';
import { openSession } from '../../../../src/agent/open-session.ts';
import type { QueryOptions } from '../../../../src/agent/query-options.ts';
import type { SDKMessage } from '../../../../src/core/messages/sdk-message.ts';
import { createInlineHost } from '../../../../src/hosts/inline/create-inline-host.ts';
import { createMemoryMedium } from '../../../../src/workspace/drivers/memory.ts';
import { openWorkspace } from '../../../../src/workspace/open-workspace.ts';
import { task } from '../../../support/turns/agents-at-once.ts';
import { createAgentsModel, createHeldModel } from '../../../support/models/agents-model.ts';
import type { AgentsModel } from '../../../support/models/agents-model.ts';
import { forever } from '../../../support/turns/background.ts';
import { isResult, readUntil } from '../../../support/sessions/open-sessions.ts';
import { callTool, say } from '../../../support/turns/run-hooked.ts';

/** Opens hosts over one medium. Who is killed is just left. */
function keep(): () => Promise<Host> {
  const medium = createMemoryMedium();
  return async () => {
    const workspace = await openWorkspace({ ...medium, close: async () => {} }, { name: 'kept' });
    const host = await createInlineHost({ loadWasm: loadQuickjsWasm, workspace });
    onTestFinished(() => host[Symbol.asyncDispose]());
    return host;
  };
}

async function open(options: QueryOptions): Promise<AgentSession> {
  const mode = { toolSearch: false, permissionMode: 'bypassPermissions' } as const;
  const session = await openSession({ ...mode, ...options });
  onTestFinished(() => session.close());
  return session;
}

async function play(session: AgentSession, prompt: string) {
  const sent = await session.send(prompt);
  return { ...sent, messages: await readUntil(session, isResult, sent.n) };
}

const look = 'Look.';
const cell = callTool('Repl', { code: forever, run_in_background: true }, 'cell-1');
const says = (text: string) => (message: SDKMessage) =>
  isResult(message) && JSON.stringify(message).includes(text);

const countTold = (model: AgentsModel) =>
  JSON.stringify(model.requests.at(-1)?.request.messages).split('<task-notification>').length - 1;

it.each([
  ['at rest', 3],
  ['in a turn', 2],
])('a task of a session that was killed %s is told once', async (_, from) => {
  const openHost = keep();
  const scripts = { main: [cell, say('It runs.'), say('Fine.'), say('Fine again.')] };
  const { model, isHeld } = createHeldModel(scripts, 'main', from);
  const killed = await open({ host: await openHost(), model });
  const message = { role: 'user', content: 'Go.' } as const;
  const prompt = { type: 'user', uuid: 'p', message, parent_tool_use_id: null } as const;
  await killed.send(prompt);
  await (from === 3 ? readUntil(killed, isResult) : isHeld);
  // Known by now: it resolves when all that was recorded has landed.
  await killed.send(prompt);

  const again = createAgentsModel(scripts);
  const session = await open({ host: await openHost(), model: again, resume: killed.id });
  await readUntil(session, isResult);
  await play(session, 'And?');
  const told = countTold(again);
  await play(session, 'And now?');
  expect([told, countTold(again)]).toEqual([1, 1]);
});

it('a task of a session that was killed during /compact is told once', async () => {
  const openHost = keep();
  const scripts = { main: [say('Hm.'), cell, say('It runs.'), say('Summary.')] };
  const { model, isHeld } = createHeldModel(scripts, 'main', 4);
  const killed = await open({ host: await openHost(), model });
  // Long enough for a compaction to be worth it.
  await play(killed, `Long. ${'word '.repeat(30_000)}`);
  await play(killed, `Go. ${'word '.repeat(30_000)}`);
  const message = { role: 'user', content: '/compact' } as const;
  const command = { type: 'user', uuid: 'c', message, parent_tool_use_id: null } as const;
  await killed.send(command);
  await isHeld;
  // Known by now: it resolves when all that was recorded has landed.
  await killed.send(command);

  const again = createAgentsModel({ main: Array.from({ length: 4 }, () => say('Fine.')) });
  const session = await open({ host: await openHost(), model: again, resume: killed.id });
  const { n, uuid } = await session.send('And now?');
  await readUntil(session, says('Fine.'), n);
  expect(countTold(again)).toBe(1);
  await session.rewind(uuid);
});

it('a task of an agent that was killed while its merge was asked about has an end', async () => {
  const openHost = keep();
  const scripts = {
    main: [task(look, { isolation: 'worktree' }), say('It runs.'), say('Done.')],
    [look]: [callTool('Write', { file_path: 'b.txt', content: 'x' }, 'w-1'), cell, say('Seen.')],
  };
  const model = createAgentsModel(scripts);
  const asks = { permissionMode: 'default' } as const;
  const killed = await open({ ...asks, host: await openHost(), model });
  const { uuid } = await play(killed, 'Go.');
  await expect.poll(() => killed.questions().length).toBe(1);

  const session = await open({ ...asks, host: await openHost(), model, resume: killed.id });
  await expect.poll(() => session.questions().length).toBe(1);
  await session.answer(session.questions()[0]?.requestId ?? '', { behavior: 'allow' });
  await readUntil(session, says('Done.'));
  await session.rewind(uuid);
});

it('a task of an agent that belongs to the session of which this is a fork has an end here', async () => {
  const host = await keep()();
  const scripts = {
    main: [task(look), say('It runs.'), say('Done.')],
    [look]: [cell, say('Seen.')],
  };
  const { model, isHeld } = createHeldModel(scripts, look, 2);
  const session = await open({ host, model });
  await play(session, 'Go.');
  await isHeld;
  const fork = await open({ host, model, resume: session.id, forkSession: true });
  const { uuid } = await play(fork, 'And?');
  await fork.rewind(uuid);
});

it('an agent has an end, and its tasks, where the conversation goes on from before it', async () => {
  const openHost = keep();
  const scripts = {
    main: [say('Hello.'), task(look), say('It runs.'), say('Done.')],
    [look]: [cell, say('Seen.')],
  };
  const { model, isHeld } = createHeldModel(scripts, look, 2);
  const killed = await open({ host: await openHost(), model });
  const { messages } = await play(killed, 'Hi.');
  const hello = messages.find(({ type }) => type === 'assistant');
  await play(killed, 'Go.');
  await isHeld;

  const again = createAgentsModel({ main: [say('Hello.'), say('Hello again.')] });
  const session = await open({
    ...{ host: await openHost(), model: again, resume: killed.id },
    resumeSessionAt: hello?.uuid ?? '',
  });
  const { uuid } = await play(session, 'Go on.');
  expect(JSON.stringify(again.requests.at(-1)?.request.messages)).toContain(
    'it was stopped. The conversation goes on from before it was begun.',
  );
  await session.rewind(uuid);
});
