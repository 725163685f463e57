import { describe, expect, it } from 'vitest';
import { exitWorktreeExample } from '../../demo/gallery/examples/worktrees.ts';
import { view } from '../../src/tools/exit-worktree/view.tsx';
import { renderStates } from './render-call.tsx';

const example = {
  ...exitWorktreeExample,
  toolName: 'ExitWorktree',
  streamingInput: {},
};

describe('view of ExitWorktree', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
