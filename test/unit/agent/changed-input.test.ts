// A person may change an Edit, a Write or a NotebookEdit before they allow it. The model hears what the file has now.
import { describe, expect, it } from 'vitest';
import type { ScriptTurn } from '../../../src/model/script.ts';
import { callTool, openHost, runHooked, toResults } from '../../support/turns/run-hooked.ts';

const read = callTool('Read', { file_path: 'a.txt' }, 'read');
const edit = { file_path: 'a.txt', old_string: 'one', new_string: 'two' };
const write = { file_path: 'a.txt', content: 'two\n' };

/** The last result, and the file, when every question is answered with the changed input. */
async function play(turns: readonly ScriptTurn[], change: Readonly<Record<string, unknown>>) {
  await using host = await openHost();
  const { messages } = await runHooked(host, turns, {
    canUseTool: (_name, input) => {
      const isMeant = Object.keys(change).every((field) => field in input);
      const updatedInput = { ...input, ...(isMeant && change) };
      return Promise.resolve({ behavior: 'allow', updatedInput });
    },
  });
  const { fs } = host.workspace;
  const text = (name: string) => fs.readFile(`/workspace/${name}`, 'utf8').catch(() => 'none');
  return { result: toResults(messages).at(-1), a: await text('a.txt'), b: await text('b.txt') };
}

describe('what a person changed before they allowed it', () => {
  it('is in the result of an Edit', async () => {
    const turns = [read, callTool('Edit', edit, 'e')];
    const { result, a } = await play(turns, { new_string: 'II' });
    expect(a).toBe('II\n');
    expect(result).toContain(
      'The user changed the new text before they allowed it. It is now:\nII',
    );
  });

  it('is in the result of a Write', async () => {
    const turns = [read, callTool('Write', write, 'w')];
    const { result, a } = await play(turns, { content: '2\n' });
    expect(a).toBe('2\n');
    expect(result).toContain('The user changed the content before they allowed it. It is now:\n2');
  });

  it('is in the result of a NotebookEdit', async () => {
    const content = JSON.stringify({ cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 });
    const insert = { cell_type: 'code', edit_mode: 'insert', new_source: 'a = 1' };
    const turns = [
      callTool('Write', { file_path: 'n.ipynb', content }, 'w'),
      callTool('Read', { file_path: 'n.ipynb' }, 'r'),
      callTool('NotebookEdit', { notebook_path: 'n.ipynb', ...insert }, 'n'),
    ];
    const { result } = await play(turns, { new_source: 'a = 2' });
    expect(result).toContain(
      'The user changed the source before they allowed it. It is now:\na = 2',
    );
  });

  it.each<[string, ScriptTurn, Readonly<Record<string, unknown>>]>([
    ['no change of an Edit', callTool('Edit', edit, 'e'), {}],
    ['no change of a Write', callTool('Write', write, 'w'), {}],
    ['another path of a Write', callTool('Write', write, 'w'), { file_path: 'b.txt' }],
  ])('is not told of %s', async (_, turn, change) => {
    const { result, a, b } = await play([read, turn], change);
    expect([a, b]).toContain('two\n');
    expect(result).not.toContain('The user');
  });
});
