// A bare rule on Write or NotebookEdit means its own tool, and no Edit. What code writes is another matter.
import { expect, it } from 'vitest';
import type { HookedOptions } from '../../../support/turns/run-hooked.ts';
import { callTool, openHost, runHooked } from '../../../support/turns/run-hooked.ts';

const file_path = 'a.txt';
const read = callTool('Read', { file_path }, 'read');
const edit = callTool('Edit', { file_path, old_string: 'old', new_string: 'new' }, 'change');
const cell = callTool('Repl', { code: `fs.writeFileSync('a.txt', 'new')` }, 'change');
const code = `await tools.Edit({ file_path: 'a.txt', old_string: 'old', new_string: 'new' })`;
const nested = callTool('Repl', { code }, 'change');

const acceptEdits = { permissionMode: 'acceptEdits' } as const;
const allow = (toolName: string): HookedOptions => ({ allowedTools: [toolName] });
const deny = (toolName: string): HookedOptions => ({ ...acceptEdits, disallowedTools: [toolName] });
const ask = (toolName: string): HookedOptions => ({
  ...acceptEdits,
  settings: { permissions: { ask: [toolName] } },
});

it.each([
  ['an Edit where NotebookEdit is allowed', edit, allow('NotebookEdit'), ['Edit'], 'old'],
  ['an Edit where Write is allowed', edit, allow('Write'), ['Edit'], 'old'],
  ['a cell where NotebookEdit is allowed', cell, allow('NotebookEdit'), ['Repl'], 'old'],
  ['an Edit where NotebookEdit is denied', edit, deny('NotebookEdit'), [], 'new'],
  ['an Edit where Write is denied', edit, deny('Write'), [], 'new'],
  ['an Edit where Write is asked about', edit, ask('Write'), [], 'new'],
  ['an Edit where writing all is denied', edit, deny('Write(**)'), [], 'old'],
  ['a cell where NotebookEdit is denied', cell, deny('NotebookEdit'), [], 'old'],
  ['a cell where Write is denied', cell, deny('Write'), [], 'old'],
  ['a cell where Write is asked about', cell, ask('Write'), ['Repl'], 'old'],
  ["a cell's Edit where Write is denied", nested, deny('Write'), [], 'old'],
] as const)('judges %s', async (_, turn, options, expected, content) => {
  await using host = await openHost();
  await host.workspace.fs.writeFile(`${host.cwd}/a.txt`, 'old');
  const asked: string[] = [];
  await runHooked(host, [read, turn], {
    canUseTool: async (name) => {
      asked.push(name);
      return { behavior: 'deny', message: 'No.' };
    },
    ...options,
  });
  expect(asked).toEqual(expected);
  expect(await host.workspace.fs.readFile(`${host.cwd}/a.txt`, 'utf8')).toBe(content);
});
