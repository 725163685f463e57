import { describe, expect, it } from 'vitest';
import { view } from '../../src/tools/task-output/view.tsx';
import { renderStates } from './render-call.tsx';

const example = {
  toolName: 'TaskOutput',
  input: { task_id: 'b1' },
  streamingInput: { task_id: 'b' },
  output: {
    task_id: 'b1',
    task_type: 'repl',
    description: 'Counts',
    status: 'running',
    output: 'one\ntwo\n',
    omitted: 12,
    output_file: '/session/s1/tasks/b1.output',
  },
  failure: 'No task b1 has run in the background. None has run.',
};

describe('view of TaskOutput', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
