import { describe, expect, it } from 'vitest';
import { workflowExample } from '../../demo/gallery/examples/workflow.ts';
import { view } from '../../src/tools/workflow/view.tsx';
import { callIn, renderCall, renderStates } from './render-call.tsx';

const example = {
  toolName: 'Workflow',
  ...workflowExample,
  streamingInput: { script: "export const meta = { name: 'rev" },
};

describe('view of Workflow', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });

  it('shows what a worker tells as text, whatever it is', () => {
    const progress = [
      null,
      7,
      { type: 'log', text: '<b>bold</b>' },
      { type: 'agent' },
      { type: 1 },
    ];
    const markup = renderCall(view, callIn('input-available', { ...example, progress }));
    expect(markup).toContain('&lt;b&gt;bold&lt;/b&gt;');
  });
});
