import { describe, expect, it } from 'vitest';
import { view } from '../../src/tools/task-update/view.tsx';
import { renderStates } from './render-call.tsx';

const example = {
  toolName: 'TaskUpdate',
  input: {
    taskId: '2',
    status: 'completed',
    owner: '',
    addBlocks: ['4'],
    addBlockedBy: ['1'],
    metadata: { ticket: 7 },
    description: 'It failed at tabs.',
  },
  streamingInput: { taskId: '2', status: 'compl' },
  output: {
    success: true,
    taskId: '2',
    updatedFields: ['status'],
    statusChange: { from: 'in_progress', to: 'completed' },
  },
  failure: 'There is no task 2: the task list is empty.',
};

describe('view of TaskUpdate', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
