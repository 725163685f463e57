import { describe, expect, it } from 'vitest';
import { view } from '../../src/tools/task-create/view.tsx';
import { renderStates } from './render-call.tsx';

const example = {
  toolName: 'TaskCreate',
  input: { subject: 'Mend the parser', description: 'It fails at tabs.', activeForm: 'Mending' },
  streamingInput: { subject: 'Mend the' },
  output: { task: { id: '3', subject: 'Mend the parser', description: 'It fails at tabs.' } },
  failure: 'The task was not added: name a ticket.',
};

describe('view of TaskCreate', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
