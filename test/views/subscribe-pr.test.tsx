import { describe, expect, it } from 'vitest';
import { subscribePrExample } from '../../demo/gallery/examples/pull-requests.ts';
import { view } from '../../src/tools/subscribe-pr/view.tsx';
import { callIn, renderCall, renderStates } from './render-call.tsx';

const example = {
  toolName: 'SubscribePr',
  ...subscribePrExample,
  streamingInput: { repository: 'ann/ti' },
};

describe('view of SubscribePr', () => {
  const variants = Object.entries(subscribePrExample.variants ?? {}).map(
    ([name, variant]): [string, string] => [
      name,
      renderCall(view, callIn('output-available', { ...example, ...variant })),
    ],
  );

  it.each([...renderStates(view, example), ...variants])('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
