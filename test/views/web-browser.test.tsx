import { describe, expect, it } from 'vitest';
import { webBrowserExample } from '../../demo/gallery/examples/preview.ts';
import { view } from '../../src/tools/web-browser/view.tsx';
import { callIn, renderCall, renderStates } from './render-call.tsx';

const example = {
  toolName: 'WebBrowser',
  ...webBrowserExample,
  streamingInput: { action: 'open' },
};

describe('view of WebBrowser', () => {
  const variants = Object.entries(webBrowserExample.variants ?? {}).map(
    ([name, variant]): [string, string] => [
      name,
      renderCall(view, callIn('output-available', { ...example, ...variant })),
    ],
  );

  it.each([...renderStates(view, example), ...variants])('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
