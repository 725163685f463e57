import { describe, expect, it } from 'vitest';
import { snipExample } from '../../demo/gallery/examples/session.ts';
import { view } from '../../src/tools/snip/view.tsx';
import { callIn, renderCall, renderStates } from './render-call.tsx';

const example = {
  toolName: 'Snip',
  ...snipExample,
  streamingInput: { from: 14 },
};

describe('view of Snip', () => {
  const variants = Object.entries(snipExample.variants ?? {}).map(
    ([name, variant]): [string, string] => [
      name,
      renderCall(view, callIn('output-available', { ...example, ...variant })),
    ],
  );

  it.each([...renderStates(view, example), ...variants])('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
