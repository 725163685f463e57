// A call that changes a file is tried over a draft first: nobody is asked about one that fails whatever they say.
import { describe, expect, it } from 'vitest';
import type { CanUseTool } from '../../../src/core/permissions/permission.ts';
import type { ScriptTurn } from '../../../src/model/script.ts';
import type { HookedOptions } from '../../support/turns/run-hooked.ts';
import { callTool, openHost, runHooked, toResults, write } from '../../support/turns/run-hooked.ts';

const edit = (file_path: string, old_string: string, new_string: string, id?: string) =>
  callTool('Edit', { file_path, old_string, new_string }, id);
const read = (file_path: string) => callTool('Read', { file_path }, 'read');
const together = (...turns: ScriptTurn[]): ScriptTurn => ({
  blocks: turns.flatMap(({ blocks }) => blocks ?? []),
});

async function play(turns: readonly ScriptTurn[], options: HookedOptions = {}) {
  await using host = await openHost();
  const { fs } = host.workspace;
  const asked: string[] = [];
  const canUseTool: CanUseTool = async (name, { file_path }) => {
    const text = await fs.readFile(`/workspace/${String(file_path)}`, 'utf8').catch(() => 'none');
    asked.push(`${name} ${text.trim()}`);
    return { behavior: 'allow' };
  };
  const { messages } = await runHooked(host, turns, { canUseTool, ...options });
  return {
    asked,
    results: toResults(messages),
    text: await fs.readFile('/workspace/a.txt', 'utf8'),
  };
}

const notebook = { notebook_path: 'n.ipynb', cell_id: 'c', new_source: '1' };

describe('nobody is asked about', () => {
  it.each<[string, readonly ScriptTurn[], string]>([
    ['an edit of a file that is not there', [edit('b.txt', 'one', '1')], "b.txt doesn't exist."],
    ['an edit of a file that was not read', [edit('a.txt', 'one', '1')], "haven't read it"],
    ['an edit of a text that is not there', [read('a.txt'), edit('a.txt', 'six', '6')], "isn't in"],
    ['a write over a file that was not read', [write('a.txt')], "haven't read it"],
    ['a new text where one is', [read('a.txt'), edit('a.txt', '', '1')], "isn't empty"],
    ['a cell of no notebook', [callTool('NotebookEdit', notebook)], "n.ipynb doesn't exist."],
  ])('%s', async (_, turns, why) => {
    const { asked, results, text } = await play(turns);
    expect({ asked, why: results.at(-1), text }).toEqual({
      asked: [],
      why: expect.stringContaining(why),
      text: 'one\n',
    });
  });

  it('what fails by a rule that asks, either, nor a classifier', async () => {
    const { asked, results } = await play([edit('b.txt', 'one', '1')], {
      permissionMode: 'auto',
      settings: { permissions: { ask: ['Edit'] } },
      autoClassifier: () => Promise.reject(new Error('It was asked.')),
    });
    expect([asked, results]).toEqual([[], [expect.stringContaining("b.txt doesn't exist.")]]);
  });
});

describe('a person is asked about an edit', () => {
  it('with nothing of it done yet', async () => {
    const { asked, text } = await play([read('a.txt'), edit('a.txt', 'one', '1')]);
    expect([asked, text]).toEqual([['Edit one'], '1\n']);
  });

  it('when the calls before it in its message are done', async () => {
    const { asked, results } = await play([
      together(
        read('a.txt'),
        edit('a.txt', 'one', '1', 'e1'),
        edit('a.txt', '1', 'I', 'e2'),
        callTool('Write', { file_path: 'b.txt', content: 'new' }, 'w'),
        edit('b.txt', 'new', 'newer', 'e3'),
      ),
    ]);
    expect(asked).toEqual(['Edit one', 'Edit 1', 'Write none', 'Edit new']);
    expect(results.slice(1).join(' ')).not.toMatch(/read|exist/u);
  });
});

describe('the question says what would change', () => {
  async function askAbout(turns: readonly ScriptTurn[], options: HookedOptions = {}) {
    const proposed: unknown[] = [];
    const hooked: unknown[] = [];
    await play(turns, {
      ...options,
      canUseTool: (_name, _input, { proposedChanges }) => {
        proposed.push(proposedChanges);
        return Promise.resolve({ behavior: 'allow' });
      },
      hooks: {
        PermissionRequest: [
          {
            hooks: [
              (input) => {
                if (input.hook_event_name === 'PermissionRequest') {
                  hooked.push(input.proposed_changes);
                }
                return Promise.resolve({});
              },
            ],
          },
        ],
      },
    });
    expect(hooked).toEqual(proposed);
    return proposed;
  }
  const path = '/workspace/a.txt';
  const hunk = (...lines: string[]) => ({
    oldStart: 1,
    oldLines: 1,
    newStart: 1,
    newLines: 1,
    lines,
  });

  it('of an edit, from the text as the earlier ones have left it', async () => {
    const change = { path, type: 'update', additions: 1, deletions: 1 };
    expect(
      await askAbout([read('a.txt'), edit('a.txt', 'one', 'two', 'e1'), edit('a.txt', 'two', '2')]),
    ).toEqual([
      [{ ...change, structuredPatch: [hunk('-one', '+two')] }],
      [{ ...change, structuredPatch: [hunk('-two', '+2')] }],
    ]);
  });

  it('of a write over a file, and of new files without their text again', async () => {
    const create = { type: 'create', deletions: 0, structuredPatch: [] };
    expect(
      await askAbout([
        read('a.txt'),
        callTool('Write', { file_path: 'a.txt', content: 'new\n' }, 'w1'),
        callTool('Write', { file_path: 'b.txt', content: '1\n2\n' }, 'w2'),
        edit('c.txt', '', 'c'),
      ]),
    ).toEqual([
      [
        {
          path,
          type: 'update',
          additions: 1,
          deletions: 1,
          structuredPatch: [hunk('-one', '+new')],
        },
      ],
      [{ path: '/workspace/b.txt', additions: 2, ...create }],
      [{ path: '/workspace/c.txt', additions: 1, ...create }],
    ]);
  });

  it('of no call that is not tried', async () => {
    const settings = { permissions: { ask: ['Read'] } };
    expect(await askAbout([read('a.txt')], { settings })).toEqual([undefined]);
  });
});
