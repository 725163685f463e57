import { describe, expect, it } from 'vitest';
import { listAgentsExample } from '../../demo/gallery/examples/agents.ts';
import { view } from '../../src/tools/list-agents/view.tsx';
import { callIn, renderCall, renderStates } from './render-call.tsx';

const example = { toolName: 'ListAgents', ...listAgentsExample, streamingInput: {} };

describe('view of ListAgents', () => {
  const none = renderCall(view, callIn('output-available', { ...example, output: { agents: [] } }));

  it.each([...renderStates(view, example), ['no agents', none]])('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
