import { describe, expect, it } from 'vitest';
import { sleepExample } from '../../demo/gallery/examples/session.ts';
import { view } from '../../src/tools/sleep/view.tsx';
import { renderStates } from './render-call.tsx';

const example = { ...sleepExample, toolName: 'Sleep', streamingInput: {} };

describe('view of Sleep', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
