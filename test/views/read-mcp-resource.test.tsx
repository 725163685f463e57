import { describe, expect, it } from 'vitest';
import { view } from '../../src/tools/read-mcp-resource/view.tsx';
import { renderStates } from './render-call.tsx';

const example = {
  toolName: 'ReadMcpResourceTool',
  input: { server: 'wiki', uri: 'wiki://rounding' },
  streamingInput: { server: 'wiki' },
  output: {
    contents: [
      { uri: 'wiki://rounding', mimeType: 'text/markdown', text: 'Half a minute is rounded up.' },
      {
        uri: 'wiki://chart',
        mimeType: 'image/png',
        blobSavedTo: '/session/s1/mcp-resources/1.png',
      },
    ],
  },
  failure: 'The server took longer than 60 s.',
};

describe('view of ReadMcpResourceTool', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
