// Tasks whose page is gone are told once.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { expect, it, onTestFinished } from 'vitest';
import type { AgentSession } from '../../../../src/agent/agent-session.ts';
import type { Host } from '../../../../src/agent/host.ts';
import { openSession } from '../../../../src/agent/open-session.ts';
import type { QueryOptions } from '../../../../src/agent/query-options.ts';
import { createInlineHost } from '../../../../src/hosts/inline/create-inline-host.ts';
import { createMemoryMedium } from '../../../../src/workspace/drivers/memory.ts';
import { openWorkspace } from '../../../../src/workspace/open-workspace.ts';
import { createAgentsModel, createHeldModel } from '../../../support/agents-model.ts';
import type { AgentsModel } from '../../../support/agents-model.ts';
import { forever } from '../../../support/background.ts';
import { isResult, readUntil } from '../../../support/open-sessions.ts';
import { callTool, say } from '../../../support/run-hooked.ts';

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

const cell = callTool('Repl', { code: forever, run_in_background: true }, 'cell-1');

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
