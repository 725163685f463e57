import { describe, expect, it } from 'vitest';
import { view } from '../../src/tools/enter-plan-mode/view.tsx';
import { renderStates } from './render-call.tsx';

const example = {
  toolName: 'EnterPlanMode',
  input: {},
  streamingInput: {},
  output: { message: 'Plan mode is on.' },
  failure: 'You are in plan mode already.',
};

describe('view of EnterPlanMode', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
