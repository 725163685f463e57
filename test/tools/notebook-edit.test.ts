import { describe, expect, it } from 'vitest';
import { notebookEditTool } from '../../src/tools/notebook-edit/tool.ts';
import type { NotebookEditOutput } from '../../src/tools/notebook-edit/schema.ts';
import { createToolBench } from '../support/stages/run-tool.ts';

const notebook = (source: string) =>
  `${JSON.stringify(
    {
      cells: [
        { cell_type: 'code', execution_count: 1, id: 'one', metadata: {}, outputs: [], source },
      ],
      metadata: {},
      nbformat: 4,
      nbformat_minor: 5,
    },
    null,
    1,
  )}\n`;

const open = async (options = {}) => {
  const bench = await createToolBench({ 'a.ipynb': notebook('a = 1') }, options);
  await bench.call('Read', { file_path: 'a.ipynb' });
  return bench;
};

const input = (changes: object = {}) => ({
  notebook_path: 'a.ipynb',
  cell_id: 'one',
  new_source: 'b = 2',
  ...changes,
});

describe('NotebookEdit', () => {
  it('changes one cell of a notebook that was read, and says how', async () => {
    const bench = await open();
    const output = (await bench.call('NotebookEdit', input())) as NotebookEditOutput;
    const after = notebook('b = 2').replace('"execution_count": 1', '"execution_count": null');
    expect(output).toEqual({
      new_source: 'b = 2',
      old_source: 'a = 1',
      cell_id: 'one',
      cell_type: 'code',
      language: 'python',
      edit_mode: 'replace',
      notebook_path: '/work/a.ipynb',
      original_file: notebook('a = 1'),
      updated_file: after,
    });
    expect(await bench.readText('/work/a.ipynb')).toBe(after);
    expect(notebookEditTool.mapToolResultToToolResultBlockParam(output, 'toolu_1')).toEqual({
      type: 'tool_result',
      tool_use_id: 'toolu_1',
      content: 'Replaced the source of the code cell one in /work/a.ipynb.',
    });
  });

  it('inserts, deletes, and goes on without another Read', async () => {
    const bench = await open();
    const insert = { edit_mode: 'insert', cell_type: 'markdown', new_source: '# New\r\nx' };
    const made = (await bench.call('NotebookEdit', input(insert))) as NotebookEditOutput;
    const read = await bench.call('Read', { file_path: 'a.ipynb' });
    expect(read).toMatchObject({
      file: {
        cells: [{ id: 'one' }, { id: made.cell_id, cellType: 'markdown', source: '# New\nx' }],
      },
    });
    expect(notebookEditTool.mapToolResultToToolResultBlockParam(made, 'x').content).toBe(
      `Inserted the markdown cell ${made.cell_id} into /work/a.ipynb.`,
    );
    const remove = input({ edit_mode: 'delete', cell_id: made.cell_id, new_source: 'ignored' });
    const gone = (await bench.call('NotebookEdit', remove)) as NotebookEditOutput;
    expect(gone).toMatchObject({ old_source: '# New\nx', new_source: '' });
    expect(await bench.readText('/work/a.ipynb')).toBe(notebook('a = 1'));
  });

  it('keeps the byte order mark and the mode', async () => {
    const bytes = new Uint8Array([0xef, 0xbb, 0xbf, ...new TextEncoder().encode(notebook('é'))]);
    const bench = await createToolBench({ 'a.ipynb': bytes });
    await bench.workspace.fs.chmod('/work/a.ipynb', 0o600);
    await bench.call('Read', { file_path: 'a.ipynb' });
    await bench.call('NotebookEdit', input());
    const after = await bench.workspace.fs.readFile('/work/a.ipynb');
    expect([...after.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    expect((await bench.workspace.fs.stat('/work/a.ipynb')).mode & 0o777).toBe(0o600);
  });
});

describe('NotebookEdit refuses', () => {
  it('a notebook that was not read, or has changed since', async () => {
    const fresh = await createToolBench({ 'a.ipynb': notebook('a') });
    expect(await fresh.reply('NotebookEdit', input())).toMatchObject({
      error: { code: 'invalid-input', message: expect.stringMatching(/Read it first/) },
    });
    const bench = await open();
    await bench.write('/work/a.ipynb', notebook('c'));
    expect(await bench.reply('NotebookEdit', input())).toMatchObject({
      error: { code: 'ECONFLICT', message: expect.stringMatching(/Read it again/) },
    });
  });

  it.each([
    ['a cell that isn’t there', { cell_id: 'two' }, {}, 'invalid-input', /no cell has the id two/],
    ['a directory', { notebook_path: 'd.ipynb' }, {}, 'EISDIR', /is a directory/],
    ['what is not there', { notebook_path: 'no.ipynb' }, {}, 'ENOENT', /no\.ipynb/],
    [
      'what would be too large',
      { new_source: 'x'.repeat(300) },
      { maxFileBytes: 400 },
      'invalid-input',
      /takes files of up to 400/,
    ],
  ])('%s', async (_what, changes, limits, code, message) => {
    const bench = await open({ limits });
    await bench.workspace.fs.mkdir('/work/d.ipynb');
    expect(await bench.reply('NotebookEdit', input(changes))).toMatchObject({
      type: 'failed',
      error: { code, message: expect.stringMatching(message) },
    });
  });

  it('a file that holds bytes which are no text', async () => {
    const bench = await createToolBench({ 'a.ipynb': new Uint8Array([123, 0xe9, 125]) });
    expect(await bench.reply('NotebookEdit', input())).toMatchObject({
      error: {
        code: 'invalid-input',
        message: expect.stringMatching(
          /no valid text in any encoding .* NotebookEdit would damage them/,
        ),
      },
    });
  });

  it('a file that a rule denies', async () => {
    const bench = await open({ rules: [{ effect: 'deny', operation: 'write', glob: '*.ipynb' }] });
    expect(await bench.reply('NotebookEdit', input())).toMatchObject({ error: { code: 'EACCES' } });
  });

  it.each([
    ['another kind of file', { notebook_path: 'a.py' }, /no \.ipynb file: change it with Edit/],
    ['no cell', { cell_id: undefined }, /cell_id is needed to replace/],
    ['a new cell of no kind', { edit_mode: 'insert' as const }, /cell_type is needed/],
  ])('before anybody is asked: %s', async (_what, changes, message) => {
    const { cell_id, ...rest } = { ...input(), ...changes };
    const given = cell_id === undefined ? rest : { ...rest, cell_id };
    expect(await notebookEditTool.validateInput(given)).toMatchObject({
      result: false,
      message: expect.stringMatching(message),
    });
  });
});

describe('NotebookEdit as others see it', () => {
  it('is deferred, writes, and shows the classifier the whole source', () => {
    expect(notebookEditTool.shouldDefer).toBe(true);
    expect(notebookEditTool.isReadOnly()).toBe(false);
    expect(notebookEditTool.getPath(input())).toBe('a.ipynb');
    expect(notebookEditTool.toAutoClassifierInput(input())).toBe('a.ipynb: replace b = 2');
    expect(notebookEditTool.getActivityDescription(input())).toBe('Editing a.ipynb');
  });

  it.each([
    [{}, 'Replace cell one of a.ipynb'],
    [{ edit_mode: 'insert' as const }, 'Insert a cell in a.ipynb'],
    [{ edit_mode: 'delete' as const }, 'Delete cell one of a.ipynb'],
  ])('is asked about as what it does: %j', async (changes, sentence) => {
    expect(await notebookEditTool.description(input(changes))).toBe(sentence);
  });
});
