import { describe, expect, it } from 'vitest';
import { webBrowserExample } from '../../demo/gallery/examples/preview.ts';
import { view } from '../../src/tools/web-browser/view.tsx';
import { renderStates } from './render-call.tsx';

const example = {
  toolName: 'WebBrowser',
  ...webBrowserExample,
  streamingInput: { action: 'open' },
};

describe('view of WebBrowser', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
