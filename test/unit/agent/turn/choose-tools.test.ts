// `tools` by names that programs of the Claude Agent SDK have.
import { expect, it } from 'vitest';
import { chooseTools } from '../../../../src/agent/turn/choose-tools.ts';
import { createInlineHost } from '../../../../src/hosts/inline/create-inline-host.ts';

async function choose(...tools: readonly string[]): Promise<readonly string[]> {
  await using host = await createInlineHost();
  const { builtInTools } = await chooseTools(await host.loadTools('listed'), { tools });
  return builtInTools.map(({ name }) => name);
}

it('takes older names of tools, and the shells for Repl', async () => {
  expect(await choose('Read', 'Task', 'KillShell', 'Bash')).toEqual([
    'Read',
    'Agent',
    'TaskStop',
    'Repl',
  ]);
});

it('takes several names of one tool for that tool', async () => {
  expect(await choose('Bash', 'PowerShell', 'Repl', 'Agent', 'Task')).toEqual(['Repl', 'Agent']);
});

it('refuses the same name twice, and one that no tool has', async () => {
  await expect(choose('Read', 'Read')).rejects.toThrow('Two tools are named Read.');
  await expect(choose('Raed')).rejects.toThrow('no tool named Raed. Did you mean Read');
});
