// Workflow as a page has it. The script is in a tool worker of its own, and its agents are on the
// page. A script that hangs the engine is ended with its worker.
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import { expect, it, onTestFinished } from 'vitest';
import { query } from '../../../src/agent/query.ts';
import { createBrowserHost } from '../../../src/hosts/browser/page/create-browser-host.ts';
import { createAgentsModel } from '../../support/models/agents-model.ts';
import { converse } from '../../support/turns/background.ts';
import { callTool, readAll, say } from '../../support/turns/run-hooked.ts';

const meta = "export const meta = { name: 'test', description: 'A test' };\n";

async function openHost() {
  const host = await createBrowserHost({
    workspace: `workflow-${crypto.randomUUID()}`,
    driver: 'memory',
    assets: { wasm: wasmUrl },
  });
  onTestFinished(() => host[Symbol.asyncDispose]());
  return host;
}

it('runs its script in a worker, and its agents beside it', async () => {
  const host = await openHost();
  const script = `${meta}phase('Read');
return (await parallel(args.files.map((file) => () => agent('Read ' + file)))).join(' ');`;
  const model = createAgentsModel({
    main: [
      callTool('Workflow', { script, args: { files: ['a', 'b'] } }, 'flow'),
      say('It runs.'),
      say('Done.'),
    ],
    'Read a': [say('First.')],
    'Read b': [say('Second.')],
  });
  const messages = await readAll(
    query({
      prompt: 'Go.',
      options: { host, model, toolSearch: false, permissionMode: 'bypassPermissions' },
    }),
  );
  expect(messages.at(-1)).toMatchObject({ type: 'result', result: 'Done.' });
  expect(JSON.stringify(model.requests.at(-1)?.request.messages)).toContain(
    'is done: First. Second.',
  );
});

it('is stopped with its worker where its engine hangs', async () => {
  const talk = converse(await openHost(), { permissionMode: 'bypassPermissions' });
  talk.say('Go.');
  const script = `${meta}log('now'); new Array(1e9) + '';`;
  (await talk.asked()).call({ id: 'flow', name: 'Workflow', input: { script } });
  const told = await talk.asked();
  const [, task_id = ''] = /as task (\w+)/u.exec(told.news) ?? [];
  await talk.seen(
    (message): message is Extract<typeof message, { type: 'tool_progress' }> =>
      message.type === 'tool_progress' && JSON.stringify(message).includes('"now"'),
  );
  told.call({ id: 'stop', name: 'TaskStop', input: { task_id } });
  expect((await talk.asked()).news).toContain(`${task_id}`);
  expect(await talk.taskEnd(task_id)).toMatchObject({ status: 'stopped' });
});
