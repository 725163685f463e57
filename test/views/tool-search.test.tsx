import { describe, expect, it } from 'vitest';
import { view } from '../../src/tools/tool-search/view.tsx';
import { callIn, renderCall, renderStates } from './render-call.tsx';

const example = {
  toolName: 'ToolSearch',
  input: { query: 'notebook jupyter' },
  streamingInput: { query: 'note' },
  output: {
    query: 'notebook jupyter',
    matches: [
      {
        name: 'NotebookEdit',
        description: 'Changes one cell of a notebook (.ipynb).\n\nRead it first.',
        input_schema: { type: 'object', properties: {} },
      },
    ],
    unknown: [],
    total_deferred_tools: 1,
  },
  failure: 'It could not be searched.',
};

describe('view of ToolSearch', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });

  it('says what it didn’t find', () => {
    const output = { ...example.output, matches: [], unknown: ['Nope', 'Never'] };
    const markup = renderCall(view, { ...callIn('output-available', example), output });
    expect(markup).toContain('no tools');
    expect(markup).toContain('Not there: Nope, Never');
  });
});
