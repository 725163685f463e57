import { describe, expect, it } from 'vitest';
import { view } from '../../src/tools/list-mcp-resources/view.tsx';
import { renderStates } from './render-call.tsx';

const example = {
  toolName: 'ListMcpResourcesTool',
  input: {},
  streamingInput: {},
  output: [{ uri: 'wiki://rounding', name: 'Rounding', server: 'wiki' }],
  failure: 'There is no connected server with resources.',
};

describe('view of ListMcpResourcesTool', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
