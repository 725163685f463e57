import { describe, expect, it } from 'vitest';
import { view } from '../../src/tools/exit-plan-mode/view.tsx';
import { renderStates } from './render-call.tsx';

const example = {
  toolName: 'ExitPlanMode',
  input: {},
  streamingInput: {},
  output: {
    plan: '# The plan\n\n1. Write `b.txt`.',
    isAgent: false,
    filePath: '/session/s1/plan.md',
    planWasEdited: true,
  },
  failure: 'There is no plan yet.',
};

describe('view of ExitPlanMode', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
