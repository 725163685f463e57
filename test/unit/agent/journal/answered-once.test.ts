// An answer counts once: what it says of permissions, and for which call, also when its session is opened again.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSession } from '../../../../src/agent/open-session.ts';
import { createDeferred } from '../../../../src/core/async/deferred.ts';
import type { Model } from '../../../../src/model/model.ts';
import { createInlineHost } from '../../../../src/hosts/inline/create-inline-host.ts';
import { createMemoryMedium } from '../../../../src/workspace/drivers/memory.ts';
import { openWorkspace } from '../../../../src/workspace/open-workspace.ts';
import { task, untilAborted, waited } from '../../../support/turns/agents-at-once.ts';
import { createAgentsModel } from '../../../support/models/agents-model.ts';
import { createDirectedModel } from '../../../support/models/directed-model.ts';
import { isResult, readUntil } from '../../../support/sessions/open-sessions.ts';
import { say, write } from '../../../support/turns/run-hooked.ts';

/** Sessions of one workspace, each opened as after a reload. */
function createPlace() {
  const medium = createMemoryMedium();
  return async (model: Model, options: Partial<Parameters<typeof openSession>[0]> = {}) => {
    const workspace = await openWorkspace({ ...medium, close: async () => {} }, { name: 'kept' });
    const host = await createInlineHost({ loadWasm: loadQuickjsWasm, workspace });
    onTestFinished(() => host[Symbol.asyncDispose]());
    const base = { toolSearch: false, permissionMode: 'default' } as const;
    const session = await openSession({ ...base, host, model, ...options });
    onTestFinished(() => session.close());
    return { host, session };
  };
}

const read = async (host: Awaited<ReturnType<typeof createInlineHost>>) =>
  host.workspace.fs.readFile('/workspace/b.txt', 'utf8').catch(() => 'nothing');

describe('an answer that counts once', () => {
  it('leaves the mode that a person has set since', async () => {
    const open = createPlace();
    const settings = { permissions: { ask: ['Agent'] } };
    const scripts = {
      main: [task('Look.', waited), write('b.txt'), say('Done.')],
      'Look.': [say('Seen.')],
    };
    const { promise: isAtWork, resolve: beginWork } = deferred();
    const working = createAgentsModel(scripts, (who, signal) => {
      if (who !== 'Look.') return undefined;
      beginWork();
      return untilAborted(new Promise(() => {}), signal);
    });
    const accept = { type: 'setMode', mode: 'acceptEdits', destination: 'session' } as const;
    const { session: killed } = await open(working, {
      settings,
      canUseTool: () => Promise.resolve({ behavior: 'allow', updatedPermissions: [accept] }),
    });
    await killed.send('Go.');
    await isAtWork;
    await killed.setPermissionMode('plan');
    await readUntil(
      killed,
      (message) =>
        message.type === 'system' &&
        message.subtype === 'status' &&
        message.permissionMode === 'plan',
    );

    const { host, session } = await open(createAgentsModel(scripts), {
      settings,
      resume: killed.id,
      canUseTool: () => Promise.resolve({ behavior: 'deny', message: 'No.' }),
    });
    await readUntil(session, isResult);
    expect(await read(host)).toBe('nothing');
  });

  it('is no answer about a later call of the same id', async () => {
    const open = createPlace();
    const model = createDirectedModel();
    const { session: killed } = await open(model);
    await killed.send('Go.');
    const allow = async (toolName: string) => {
      await expect.poll(() => killed.questions()[0]?.toolName).toBe(toolName);
      await killed.answer(killed.questions()[0]?.requestId ?? '', { behavior: 'allow' });
    };
    const id = 'call_0';
    const same = { id, name: 'Write', input: { file_path: 'b.txt', content: 'x' } };
    (await model.next()).call(same);
    await allow('Write');
    const code = "fs.writeFileSync('b.txt', 'y')";
    (await model.next()).call({ id, name: 'Repl', input: { code } });
    await allow('Repl');
    (await model.next()).call({ id, name: 'Read', input: { file_path: 'b.txt' } });
    (await model.next()).call(same);
    await expect.poll(() => killed.questions()[0]?.toolName).toBe('Write');

    const { host, session } = await open(createDirectedModel(), { resume: killed.id });
    await expect.poll(() => session.questions()[0]?.toolName).toBe('Write');
    expect(await read(host)).toBe('y');
  });
});

function deferred() {
  const { promise, resolve } = createDeferred();
  return { promise, resolve };
}
