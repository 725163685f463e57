import { describe, expect, it } from 'vitest';
import { view } from '../../src/tools/ask-user-question/view.tsx';
import { renderStates } from './render-call.tsx';

const questions = [
  {
    question: 'Which library should dates use?',
    header: 'Library',
    options: [
      { label: 'None', description: 'The platform has Temporal.' },
      { label: 'date-fns', description: 'Small functions.', preview: 'addDays(date, 1)' },
    ],
    multiSelect: false,
  },
  {
    question: 'Where must it run?',
    header: 'Targets',
    options: [
      { label: 'Chrome', description: '' },
      { label: 'Safari', description: '' },
    ],
    multiSelect: true,
  },
];

const example = {
  toolName: 'AskUserQuestion',
  input: { questions },
  streamingInput: { questions: [questions[0], { question: 'Where' }] },
  output: {
    questions,
    answers: {
      'Which library should dates use?': 'date-fns',
      'Where must it run?': 'Chrome, Safari',
    },
    annotations: { 'Which library should dates use?': { notes: 'Only its core.' } },
  },
  failure: 'Nobody is here to answer.',
};

describe('view of AskUserQuestion', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
