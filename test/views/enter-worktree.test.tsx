import { describe, expect, it } from 'vitest';
import { enterWorktreeExample } from '../../demo/gallery/examples/worktrees.ts';
import { view } from '../../src/tools/enter-worktree/view.tsx';
import { renderStates } from './render-call.tsx';

const example = {
  ...enterWorktreeExample,
  toolName: 'EnterWorktree',
  streamingInput: {},
};

describe('view of EnterWorktree', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
