import { describe, expect, it } from 'vitest';
import { remoteTriggerExample } from '../../demo/gallery/examples/remote.ts';
import { view } from '../../src/tools/remote-trigger/view.tsx';
import { renderStates } from './render-call.tsx';

const example = {
  toolName: 'RemoteTrigger',
  ...remoteTriggerExample,
  streamingInput: { action: 'run' },
};

describe('view of RemoteTrigger', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
