// The whole way of a session: it runs, is exported with the files that it began with, and is played again.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { expect, it } from 'vitest';
import { query } from '../../../../src/agent/query.ts';
import { replay } from '../../../../src/agent/replay/replay.ts';
import { exportSession } from '../../../../src/agent/stored-sessions/session-file.ts';
import { createInlineHost } from '../../../../src/hosts/inline/create-inline-host.ts';
import { createScriptedModel } from '../../../../src/model/scripted.ts';

const call = (name: string, input: Record<string, unknown>) => ({
  blocks: [{ type: 'tool_use', name, input } as const],
});

it('a session that was exported with its base runs again to the same end', async () => {
  await using host = await createInlineHost({ loadWasm: loadQuickjsWasm });
  await host.workspace.fs.writeFile('/workspace/a.txt', 'one\n');
  const turns = [
    call('Read', { file_path: 'a.txt' }),
    call('Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' }),
    call('Grep', { pattern: 'two', output_mode: 'content' }),
    { blocks: [{ type: 'text', text: 'Done.' } as const] },
  ];
  const model = createScriptedModel({ script: { turns } });
  const options = { host, model, sessionId: 'mine', permissionMode: 'acceptEdits' } as const;
  for await (const _ of query({ prompt: 'Go.', options }));
  // What came later isn't part of it.
  await host.workspace.fs.writeFile('/workspace/a.txt', 'three\n');

  const file = await exportSession('mine', { host, base: true });
  await using other = await createInlineHost({ loadWasm: loadQuickjsWasm });
  const again = await replay(file, { host: other, mode: 'rerun', permissionMode: 'acceptEdits' });
  expect(again).toMatchObject({ sessionId: 'mine', requests: 4, calls: 3 });
  expect(again.difference).toBeUndefined();
  expect(await other.workspace.fs.readFile('/workspace/a.txt', 'utf8')).toBe('two\n');
});

it('a base is refused where nothing was pinned before the first turn', async () => {
  await using host = await createInlineHost();
  const model = createScriptedModel({
    script: { turns: [{ blocks: [{ type: 'text', text: 'Hello.' }] }] },
  });
  for await (const _ of query({ prompt: 'Hi.', options: { host, model, sessionId: 'mine' } }));
  for (const { id } of await host.workspace.roots.list()) {
    await host.workspace.roots.drop(id, { author: { kind: 'user' } });
  }
  await expect(exportSession('mine', { host, base: true })).rejects.toMatchObject({
    code: 'bad-usage',
  });
  expect((await exportSession('mine', { host })).length).toBeGreaterThan(0);
});
