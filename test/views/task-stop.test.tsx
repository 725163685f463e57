import { describe, expect, it } from 'vitest';
import { view } from '../../src/tools/task-stop/view.tsx';
import { renderStates } from './render-call.tsx';

const example = {
  toolName: 'TaskStop',
  input: { task_id: 'b1' },
  streamingInput: { task_id: 'b' },
  output: {
    message: 'Task b1 (Counts) is stopped. Nothing that it did was kept.',
    task_id: 'b1',
    task_type: 'repl',
    command: 'Counts',
  },
  failure: 'No task b1 runs in the background. None does.',
};

describe('view of TaskStop', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
