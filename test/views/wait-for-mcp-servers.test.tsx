import { describe, expect, it } from 'vitest';
import { view } from '../../src/tools/wait-for-mcp-servers/view.tsx';
import { renderStates } from './render-call.tsx';

const example = {
  toolName: 'WaitForMcpServers',
  input: { servers: ['tickets', 'weather'] },
  streamingInput: { servers: ['tickets'] },
  output: {
    servers: [
      { name: 'tickets', status: 'connected', tools: 12 },
      { name: 'weather', status: 'failed', error: 'The server took longer than 10 s.' },
    ],
  },
  failure: 'There is no MCP server weather. There are: tickets.',
};

describe('view of WaitForMcpServers', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
