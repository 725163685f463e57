import { describe, expect, it } from 'vitest';
import { suggestPrExample } from '../../demo/gallery/examples/pull-requests.ts';
import { view } from '../../src/tools/suggest-pr/view.tsx';
import { renderStates } from './render-call.tsx';

const example = {
  toolName: 'SuggestPr',
  ...suggestPrExample,
  streamingInput: { repository: 'ann/ti' },
};

describe('view of SuggestPr', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
