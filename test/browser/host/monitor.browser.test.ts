// Monitor as a page has it: its cell in a tool worker of its own, its files those of the FS worker.
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import { expect, it, onTestFinished } from 'vitest';
import { createBrowserHost } from '../../../src/hosts/browser/page/create-browser-host.ts';
import type { MonitorOutput } from '../../../src/tools/monitor/schema.ts';
import { converse } from '../../support/turns/background.ts';

async function openMonitor(source: object) {
  const host = await createBrowserHost({
    workspace: `monitor-${crypto.randomUUID()}`,
    driver: 'memory',
    assets: { wasm: wasmUrl },
  });
  onTestFinished(() => host[Symbol.asyncDispose]());
  const talk = converse(host, { permissionMode: 'bypassPermissions' });
  talk.say('Watch.');
  const input = { description: 'the build', ...source };
  (await talk.asked()).call({ id: 'watch', name: 'Monitor', input });
  const told = await talk.asked();
  const { taskId } = talk.lastOutput() as unknown as MonitorOutput;
  return { host, talk, told, taskId };
}

it('hears a cell that runs beside the conversation, and ends it where it never would', async () => {
  const command =
    "console.log('one'); await new Promise((resolve) => setTimeout(resolve, 1_500)); for (;;);";
  const { talk, told, taskId } = await openMonitor({ command });
  told.say('I wait.');
  const woken = await talk.asked();
  expect(woken.news).toMatch(/<event>one[^]*<\/event>/u);
  woken.call({ id: 'stop', name: 'TaskStop', input: { task_id: taskId } });
  const stopped = await talk.asked();
  expect(await talk.taskEnd(taskId)).toMatchObject({ status: 'stopped' });
  stopped.say('Done.');
  await talk.end();
});

it('hears what a person changes, and nothing of what the session itself does', async () => {
  const { host, talk, told } = await openMonitor({ files: { pattern: '**/*.txt' } });
  const written = await talk.cell(told, "require('fs').writeFileSync('own.txt', '1')");
  await host.workspace.fs.writeFile('/workspace/theirs.txt', '2');
  written.say('I wait.');
  const woken = await talk.asked();
  expect(woken.news).toContain('<event>created /workspace/theirs.txt</event>');
  expect(woken.news).not.toContain('own.txt');
  woken.say('Done.');
  await talk.end();
});
