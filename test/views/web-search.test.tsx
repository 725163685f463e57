import { describe, expect, it } from 'vitest';
import { webSearchExample } from '../../demo/gallery/examples/web.ts';
import { view } from '../../src/tools/web-search/view.tsx';
import { renderStates } from './render-call.tsx';

const example = { toolName: 'WebSearch', ...webSearchExample, streamingInput: { query: 'tide' } };

describe('view of WebSearch', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
