import { describe, expect, it } from 'vitest';
import { view } from '../../src/tools/task-get/view.tsx';
import { renderStates } from './render-call.tsx';

const example = {
  toolName: 'TaskGet',
  input: { taskId: '3' },
  streamingInput: {},
  output: {
    task: {
      id: '3',
      subject: 'Mend the parser',
      description: 'It fails at tabs.',
      status: 'in_progress',
      blocks: ['4'],
      blockedBy: ['1', '2'],
    },
  },
  failure: 'Stopped before it was finished.',
};

describe('view of TaskGet', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
