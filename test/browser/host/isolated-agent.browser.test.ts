// An isolated sub-agent over the browser's host: tool workers read and write its branch, the FS worker merges it.
import { expect, it } from 'vitest';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import { query } from '../../../src/agent/query.ts';
import type { CanUseToolOptions } from '../../../src/core/permissions/permission.ts';
import { createBrowserHost } from '../../../src/hosts/browser/page/create-browser-host.ts';
import { createAgentsModel } from '../../support/models/agents-model.ts';
import { isolated, listBranches, main, read } from '../../support/turns/isolated-agents.ts';
import { callTool, readAll, say, write } from '../../support/turns/run-hooked.ts';

it('works on its branch in real workers, and is merged once a person has seen the diff', async () => {
  const host = await createBrowserHost({
    workspace: `isolated-${crypto.randomUUID()}`,
    assets: { wasm: wasmUrl },
  });
  const path = `${host.cwd}/a.txt`;
  const asked: CanUseToolOptions[] = [];
  let whileWorking: unknown;
  const model = createAgentsModel(
    {
      main: main(isolated('Change it.')),
      'Change it.': [
        callTool('Read', { file_path: path }, 'call-b'),
        callTool('Edit', { file_path: path, old_string: 'one', new_string: 'two' }, 'call-c'),
        write(`${host.cwd}/b.txt`, 'two\n'),
        callTool('Grep', { pattern: 'two' }, 'call-d'),
        say('Changed.'),
      ],
    },
    async (who) => {
      if (who !== 'main') whileWorking = await host.workspace.fs.readdir(host.cwd);
    },
  );
  try {
    await host.workspace.fs.writeFile(path, 'one\n');
    await readAll(
      query({
        prompt: 'Go.',
        options: {
          host,
          model,
          toolSearch: false,
          canUseTool: (_, __, options) => {
            asked.push(options);
            return Promise.resolve({ behavior: 'allow' });
          },
        },
      }),
    );
    expect(whileWorking).toEqual(['a.txt']);
    expect(asked.map(({ changes }) => changes?.map((one) => one.path))).toEqual([
      ['a.txt', 'b.txt'].map((name) => `${host.cwd}/${name}`),
    ]);
    // Grep has found what only the branch has.
    const found = model.requests.findLast(({ who }) => who !== 'main')?.request.messages.at(-1);
    expect(JSON.stringify(found)).toContain('b.txt');
    expect(await read(host, path)).toBe('two\n');
    expect(await read(host, `${host.cwd}/b.txt`)).toBe('two\n');
    expect(await listBranches(host)).toEqual([]);
  } finally {
    await host.destroy();
  }
});
