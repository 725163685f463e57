// The example of docs/hooks.md as an embedder would run it.
import { expect, it } from 'vitest';
import { runGuarded } from '../../../../docs/examples/hooks.ts';
import { createScriptedModel } from '../../../../src/model/scripted.ts';
import { openHost, say, write } from '../../../support/turns/run-hooked.ts';

it('docs/examples/hooks.ts refuses a key and counts the files of src', async () => {
  const host = await openHost();
  const writes = [
    ['src/a.ts', 'export const a = 1;'],
    ['src/key.ts', "export const key = 'sk-live-1';"],
    ['notes.md', 'Nothing.'],
    ['src/b.ts', 'export const b = 2;'],
  ] as const;
  const blocks = writes.flatMap(([path, text], at) =>
    (write(path, text).blocks ?? []).map((block) => ({ ...block, id: `call-${at}` })),
  );
  const model = createScriptedModel({ script: { turns: [{ blocks }, say('Done.')] } });
  expect(await runGuarded(host, model, 'Write them.')).toBe(2);
  expect((await host.workspace.fs.readdir('/workspace/src')).toSorted()).toEqual(['a.ts', 'b.ts']);
  await host[Symbol.asyncDispose]();
});
