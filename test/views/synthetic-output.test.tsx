import { describe, expect, it } from 'vitest';
import { syntheticOutputExample } from '../../demo/gallery/examples/session.ts';
import { view } from '../../src/tools/synthetic-output/view.tsx';
import { renderStates } from './render-call.tsx';

const example = {
  ...syntheticOutputExample,
  toolName: 'SyntheticOutput',
  streamingInput: { verdict: 'needs' },
};

describe('view of SyntheticOutput', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
