import { describe, expect, it } from 'vitest';
import { suggestPrExample } from '../../demo/gallery/examples/pull-requests.ts';
import { view } from '../../src/tools/suggest-pr/view.tsx';
import { callIn, renderCall, renderStates } from './render-call.tsx';

const example = {
  toolName: 'SuggestPr',
  ...suggestPrExample,
  streamingInput: { repository: 'ann/ti' },
};

describe('view of SuggestPr', () => {
  const variants = Object.entries(suggestPrExample.variants ?? {}).map(
    ([name, variant]): [string, string] => [
      name,
      renderCall(view, callIn('output-available', { ...example, ...variant })),
    ],
  );

  it.each([...renderStates(view, example), ...variants])('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
