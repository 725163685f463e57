import { describe, expect, it } from 'vitest';
import { snipExample } from '../../demo/gallery/examples/session.ts';
import { view } from '../../src/tools/snip/view.tsx';
import { renderStates } from './render-call.tsx';

const example = {
  toolName: 'Snip',
  ...snipExample,
  streamingInput: { from: 14 },
};

describe('view of Snip', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
