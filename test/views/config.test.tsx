import { describe, expect, it } from 'vitest';
import { configExample } from '../../demo/gallery/examples/session.ts';
import { view } from '../../src/tools/config/view.tsx';
import { renderStates } from './render-call.tsx';

const example = {
  toolName: 'Config',
  ...configExample,
  streamingInput: { setting: 'model' },
};

describe('view of Config', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
