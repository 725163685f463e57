import { describe, expect, it } from 'vitest';
import { view } from '../../src/tools/todo-write/view.tsx';
import { renderStates } from './render-call.tsx';

const example = {
  toolName: 'TodoWrite',
  input: {
    todos: [
      { content: 'Read it', status: 'completed', activeForm: 'Reading it' },
      { content: 'Mend it', status: 'in_progress', activeForm: 'Mending it' },
    ],
  },
  streamingInput: { todos: [{ content: 'Read' }] },
  output: {
    oldTodos: [],
    newTodos: [
      { content: 'Read it', status: 'completed', activeForm: 'Reading it' },
      { content: 'Mend it', status: 'in_progress', activeForm: 'Mending it' },
      { content: 'Test it', status: 'pending', activeForm: '' },
    ],
  },
  failure: 'Entry 1 has no content: say what is to be done.',
};

describe('view of TodoWrite', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
