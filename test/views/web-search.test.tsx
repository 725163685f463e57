import { describe, expect, it } from 'vitest';
import { webSearchExample } from '../../demo/gallery/examples/web.ts';
import { view } from '../../src/tools/web-search/view.tsx';
import { callIn, renderCall, renderStates } from './render-call.tsx';

const example = { toolName: 'WebSearch', ...webSearchExample, streamingInput: { query: 'tide' } };

describe('view of WebSearch', () => {
  const variants = Object.entries(webSearchExample.variants ?? {}).map(
    ([name, variant]): [string, string] => [
      name,
      renderCall(view, callIn('output-available', { ...example, ...variant })),
    ],
  );

  it.each([...renderStates(view, example), ...variants])('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
