import { describe, expect, it } from 'vitest';
import type { ReadOutput } from '../../src/tools/read/schema.ts';
import { readTool } from '../../src/tools/read/tool.ts';
import { createToolBench } from '../support/stages/run-tool.ts';

async function open(files: Readonly<Record<string, string>>) {
  const bench = await createToolBench(files);
  /** What the model sees of a call. */
  const read = async (input: Record<string, unknown>) => {
    const output = (await bench.call('Read', input)) as ReadOutput;
    return readTool.mapToolResultToToolResultBlockParam(output, 'toolu_1').content as string;
  };
  return { ...bench, read };
}

describe('Read of a notebook', () => {
  it('shows the text of one that can’t be told apart into cells, and Edit can mend it', async () => {
    const lines = ['{"cells": [', '<<<<<<< ours', '=======', '>>>>>>> theirs', ']}'];
    const { read, call } = await open({ 'a.ipynb': lines.join('\n'), 'empty.ipynb': '' });
    expect(await read({ file_path: 'a.ipynb', limit: 2 })).toBe(
      '     1\t{"cells": [\n     2\t<<<<<<< ours\n\n' +
        '(It is no notebook with a list of cells in valid JSON, so this is its text. Edit changes it.)',
    );
    const conflict = lines.slice(1, 4).join('\n');
    await call('Edit', { file_path: 'a.ipynb', old_string: conflict, new_string: '' });
    expect(await read({ file_path: 'a.ipynb' })).toBe('(The notebook has no cells.)');
    expect(await read({ file_path: 'empty.ipynb' })).toBe('(The file is there, but it is empty.)');
  });

  it('shortens what its cells have printed until it fits, so that NotebookEdit can change it', async () => {
    const output = { output_type: 'stream', name: 'stdout', text: 'x'.repeat(9_000) };
    const cells = Array.from({ length: 30 }, (_, at) => ({
      cell_type: 'code',
      source: `print(${at})`,
      outputs: [output],
    }));
    const { read, call } = await open({ 'a.ipynb': JSON.stringify({ cells }) });
    const shown = await read({ file_path: 'a.ipynb' });
    expect(shown.match(/<cell /g)).toHaveLength(30);
    expect(shown.match(/\[8000 more characters of output\]/g)).toHaveLength(30);
    const change = { notebook_path: 'a.ipynb', cell_id: 'cell-29', new_source: 'print()' };
    expect(await call('NotebookEdit', change)).toMatchObject({ old_source: 'print(29)' });
  });

  it('says how to see one whose sources don’t fit', async () => {
    const cells = [{ cell_type: 'code', source: 'x'.repeat(150_000) }];
    const { read } = await open({ 'a.ipynb': JSON.stringify({ cells }) });
    await expect(read({ file_path: 'a.ipynb' })).rejects.toThrow(/Read it with allow_large/);
    expect(await read({ file_path: 'a.ipynb', allow_large: true })).toContain('<cell id="cell-0"');
  });
});
