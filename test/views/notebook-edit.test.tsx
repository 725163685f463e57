import { describe, expect, it } from 'vitest';
import { view } from '../../src/tools/notebook-edit/view.tsx';
import { callIn, renderCall, renderStates } from './render-call.tsx';

const example = {
  toolName: 'NotebookEdit',
  input: { notebook_path: '/workspace/a.ipynb', cell_id: 'one', new_source: 'b = 2' },
  streamingInput: { notebook_path: '/workspace/a.ipynb', new_source: 'b =' },
  output: {
    new_source: 'b = 2',
    old_source: 'a = 1',
    cell_id: 'one',
    cell_type: 'code',
    language: 'python',
    edit_mode: 'replace',
    notebook_path: '/workspace/a.ipynb',
    original_file: null,
    updated_file: null,
  },
  failure: 'Read /workspace/a.ipynb first.',
};

describe('view of NotebookEdit', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });

  it('says where a new cell goes, and what a deleted one was', () => {
    const read = (markup: string) => markup.replaceAll(/<[^>]*>|\n/g, ' ').replaceAll(/ +/g, ' ');
    const insert = { ...example.input, edit_mode: 'insert', cell_type: 'markdown' };
    const asked = renderCall(view, { ...callIn('approval-requested', example), input: insert });
    expect(read(asked)).toContain('Insert a cell into');
    expect(read(asked)).toContain('After cell one');
    const gone = {
      ...callIn('output-available', example),
      input: { ...example.input, edit_mode: 'delete' },
    };
    expect(read(renderCall(view, gone))).toContain('− Replace a = 1');
    expect(read(renderCall(view, gone))).not.toContain('+ With');
  });
});
