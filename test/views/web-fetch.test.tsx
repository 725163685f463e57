import { describe, expect, it } from 'vitest';
import { webFetchExample } from '../../demo/gallery/examples/web.ts';
import { view } from '../../src/tools/web-fetch/view.tsx';
import { callIn, renderCall, renderStates } from './render-call.tsx';

const example = {
  toolName: 'WebFetch',
  ...webFetchExample,
  streamingInput: { url: 'https://tides.exa' },
};

describe('view of WebFetch', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });

  it('makes no link of an address that would run, and none of an answer', () => {
    const input = { url: 'javascript:alert(1)', prompt: 'x' };
    const output = { ...example.output, url: input.url, result: '<img src=x onerror=alert(1)>' };
    const markup = renderCall(view, callIn('output-available', { ...example, input, output }));
    expect(markup).not.toMatch(/href="javascript|<img/u);
  });
});
