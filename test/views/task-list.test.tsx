import { describe, expect, it } from 'vitest';
import { view } from '../../src/tools/task-list/view.tsx';
import { renderStates } from './render-call.tsx';

const example = {
  toolName: 'TaskList',
  input: {},
  streamingInput: {},
  output: {
    tasks: [
      { id: '1', subject: 'Read the parser', status: 'completed', blockedBy: [] },
      { id: '2', subject: 'Mend it', status: 'in_progress', owner: 'Ann', blockedBy: ['1'] },
      { id: '3', subject: 'Test it', status: 'pending', blockedBy: ['1', '2'] },
    ],
  },
  failure: 'Stopped before it was finished.',
};

describe('view of TaskList', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
