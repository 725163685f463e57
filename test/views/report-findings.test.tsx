import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { reportFindingsExample } from '../../demo/gallery/examples/session.ts';
import type { ViewedCall } from '../../src/core/tool/call-state.ts';
import { view } from '../../src/tools/report-findings/view.tsx';
import { callIn, renderStates } from './render-call.tsx';

const example = {
  toolName: 'ReportFindings',
  ...reportFindingsExample,
  streamingInput: { level: 'high' },
};

describe('view of ReportFindings', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });

  it('can be unfolded only where there are findings', () => {
    const View = view;
    const unfolds = (call: ViewedCall) =>
      renderToStaticMarkup(<View call={call} />).includes('rp-fold-toggle');
    const none = { level: 'high', count: 0, findings: [] };
    expect(unfolds(callIn('output-available', example))).toBe(true);
    expect(unfolds({ ...callIn('output-available', example), output: none })).toBe(false);
    expect(unfolds(callIn('input-streaming', example))).toBe(false);
  });
});
