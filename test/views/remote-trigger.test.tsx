import { describe, expect, it } from 'vitest';
import { remoteTriggerExample } from '../../demo/gallery/examples/remote.ts';
import { view } from '../../src/tools/remote-trigger/view.tsx';
import { callIn, renderCall, renderStates } from './render-call.tsx';

const example = {
  toolName: 'RemoteTrigger',
  ...remoteTriggerExample,
  streamingInput: { action: 'run' },
};

describe('view of RemoteTrigger', () => {
  const variants = Object.entries(remoteTriggerExample.variants ?? {}).map(
    ([name, variant]): [string, string] => [
      name,
      renderCall(view, callIn('output-available', { ...example, ...variant })),
    ],
  );

  it.each([...renderStates(view, example), ...variants])('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
