import { describe, expect, it } from 'vitest';
import { reportFindingsExample } from '../../demo/gallery/examples/session.ts';
import { view } from '../../src/tools/report-findings/view.tsx';
import { callIn, renderCall, renderStates } from './render-call.tsx';

const example = {
  toolName: 'ReportFindings',
  ...reportFindingsExample,
  streamingInput: { level: 'high' },
};

describe('view of ReportFindings', () => {
  const variants = Object.entries(reportFindingsExample.variants ?? {}).map(
    ([name, variant]): [string, string] => [
      name,
      renderCall(view, callIn('output-available', { ...example, ...variant })),
    ],
  );

  it.each([...renderStates(view, example), ...variants])('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
