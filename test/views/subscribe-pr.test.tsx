import { describe, expect, it } from 'vitest';
import { subscribePrExample } from '../../demo/gallery/examples/pull-requests.ts';
import { view } from '../../src/tools/subscribe-pr/view.tsx';
import { renderStates } from './render-call.tsx';

const example = {
  toolName: 'SubscribePr',
  ...subscribePrExample,
  streamingInput: { repository: 'ann/ti' },
};

describe('view of SubscribePr', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
