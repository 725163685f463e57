import { describe, expect, it } from 'vitest';
import type { ReadOutput } from '../../src/tools/read/schema.ts';
import { readTool } from '../../src/tools/read/tool.ts';
import { createToolBench } from '../support/run-tool.ts';

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
});
