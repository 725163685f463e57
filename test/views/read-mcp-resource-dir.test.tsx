import { describe, expect, it } from 'vitest';
import { view } from '../../src/tools/read-mcp-resource-dir/view.tsx';
import { renderStates } from './render-call.tsx';

const example = {
  toolName: 'ReadMcpResourceDirTool',
  input: { server: 'wiki', uri: 'wiki://pages' },
  streamingInput: { server: 'wiki' },
  output: { resources: [{ uri: 'wiki://pages/rounding', name: 'rounding' }] },
  failure: 'The server can’t list directories. List its resources instead.',
};

describe('view of ReadMcpResourceDirTool', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
