// The questions of several isolated agents, and merges that need none.
import { expect, it } from 'vitest';
import {
  isolated,
  listBranches,
  main,
  read,
  runIsolated,
} from '../../../support/turns/isolated-agents.ts';
import { createDeferred } from '../../../../src/core/async/deferred.ts';
import { callTool, openHost, say } from '../../../support/turns/run-hooked.ts';

const write = (name: string, id: string) =>
  callTool('Write', { file_path: `/workspace/${name}.txt`, content: `${name}\n` }, id);

it('are merged where nobody is asked about them, also while a question waits', async () => {
  await using host = await openHost();
  const { promise: merged, resolve: isMerged } = createDeferred();
  const begin = (prompt: string, id: string) =>
    isolated(prompt, { run_in_background: true }, id).blocks;
  using _listening = host.workspace.onChange(() => {
    void read(host, '/workspace/free.txt').then(
      () => isMerged(),
      () => undefined,
    );
  });
  const { promise: asked, resolve: isAsked } = createDeferred();
  const run = await runIsolated(
    host,
    {
      main: main(
        { blocks: [...begin('Ask.', 'call-a'), ...begin('Free.', 'call-b')] },
        ...[say('They run.'), say('One is done.')],
      ),
      'Ask.': [write('asked', 'call-c'), say('Asked.')],
      'Free.': [write('free', 'call-d'), say('Freed.')],
    },
    {
      allowedTools: ['Edit(free.txt)'],
      before: (who, count) => (who === 'Free.' && count === 2 ? asked : undefined),
    },
    async () => {
      isAsked();
      await merged;
      return { behavior: 'allow' };
    },
  );
  expect(run.asked).toHaveLength(1);
  expect(await read(host, '/workspace/asked.txt')).toBe('asked\n');
  expect(await read(host, '/workspace/free.txt')).toBe('free\n');
  expect(await listBranches(host)).toEqual([]);
});
