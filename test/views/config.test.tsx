import { describe, expect, it } from 'vitest';
import { configExample } from '../../demo/gallery/examples/session.ts';
import { view } from '../../src/tools/config/view.tsx';
import { callIn, renderCall, renderStates } from './render-call.tsx';

const example = {
  toolName: 'Config',
  ...configExample,
  streamingInput: { setting: 'model' },
};

describe('view of Config', () => {
  const variants = Object.entries(configExample.variants ?? {}).map(
    ([name, variant]): [string, string] => [
      name,
      renderCall(view, callIn('output-available', { ...example, ...variant })),
    ],
  );

  it.each([...renderStates(view, example), ...variants])('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
