// AskUserQuestion in whole turns: the person's answer to the permission question is the answer to the model's.
import { describe, expect, it } from 'vitest';
import type { PermissionResult } from '../../src/core/permissions/permission.ts';
import { askUserQuestionInputSchema } from '../../src/tools/ask-user-question/schema.ts';
import { askUserQuestionTool } from '../../src/tools/ask-user-question/tool.ts';
import { asks, says } from '../support/turns/play-turns.ts';
import { playPlan, toolUse, yes } from '../support/turns/plan-turns.ts';

const library = {
  question: 'Which library should dates use?',
  header: 'Library',
  options: [
    { label: 'None (Recommended)', description: 'The platform has Temporal.' },
    { label: 'date-fns', description: 'Small functions.', preview: 'addDays(date, 1)' },
  ],
  multiSelect: false,
};
const targets = {
  question: 'Where must it run?',
  header: 'Targets',
  options: [
    { label: 'Chrome', description: '' },
    { label: 'Safari', description: '' },
  ],
  multiSelect: true,
};
const asksFor = (...questions: object[]) => asks(toolUse('ask', 'AskUserQuestion', { questions }));
const answer = (more: object, questions: object[] = [library, targets]): PermissionResult => ({
  behavior: 'allow',
  updatedInput: { questions, ...more },
});
const play = (result: PermissionResult | undefined, ...questions: object[]) =>
  playPlan(
    [asksFor(...(questions.length > 0 ? questions : [library, targets])), says('Done.')],
    result && { AskUserQuestion: [result] },
    { permissionMode: 'bypassPermissions' },
  );
const whole = { [library.question]: 'date-fns', [targets.question]: 'Chrome, Safari' };

describe('AskUserQuestion', () => {
  it('asks in every mode, and gives the model each answer with what was noted', async () => {
    const annotations = {
      [library.question]: { preview: 'addDays(date, 1)', notes: 'Only its core.' },
    };
    const turn = await play(answer({ answers: whole, annotations, metadata: { source: 'card' } }));
    expect(turn.asked).toEqual([
      { toolName: 'AskUserQuestion', input: { questions: [library, targets] } },
    ]);
    expect(turn.told('ask')).toBe(
      [
        'The user has answered:',
        'Which library should dates use?\n→ date-fns\nWhat they saw of it:\naddDays(date, 1)\nTheir notes: Only its core.',
        'Where must it run?\n→ Chrome, Safari',
      ].join('\n\n'),
    );
    expect(
      turn.messages.find((m) => m.type === 'user' && m.tool_use_result !== undefined),
    ).toMatchObject({
      tool_use_result: { questions: [library, targets], answers: whole, annotations },
    });
  });

  it('takes an answer of the person’s own words', async () => {
    const turn = await play(
      answer({ answers: { ...whole, [library.question]: 'Luxon, I wrote it' } }),
    );
    expect(turn.told('ask')).toContain('→ Luxon, I wrote it');
  });

  it('takes the labels of several options as a list, too', async () => {
    const labels = ['Chrome', 'Safari', 'Firefox, I wrote it'];
    const turn = await play(answer({ answers: { ...whole, [targets.question]: labels } }));
    expect(turn.told('ask')).toContain('→ Chrome, Safari, Firefox, I wrote it');
    expect(
      turn.messages.find((m) => m.type === 'user' && m.tool_use_result !== undefined),
    ).toMatchObject({ tool_use_result: { answers: { [targets.question]: labels.join(', ') } } });
  });

  it('tells the model of a refusal with its words', async () => {
    const no = { behavior: 'deny', message: 'The user said no: later.' } as const;
    const turn = await play(no);
    expect(turn.told('ask')).toBe('The user said no: later.');
    expect(turn.result.permission_denials).toHaveLength(1);
  });

  it('is refused at once where nobody is there, and the model decides', async () => {
    const turn = await play(undefined);
    expect(turn.told('ask')).toBe(
      'Nobody is here to answer. Decide by yourself, go on, and say in your answer what you assumed.',
    );
    expect(turn.result).toMatchObject({
      subtype: 'success',
      result: 'Done.',
      permission_denials: [{ tool_name: 'AskUserQuestion', tool_use_id: 'ask' }],
    });
  });

  it('may be asked while a plan is made', async () => {
    const turn = await playPlan(
      [asksFor(library), says('Done.')],
      { AskUserQuestion: [answer({ answers: { [library.question]: 'None' } }, [library])] },
      { permissionMode: 'plan' },
    );
    expect(turn.told('ask')).toContain('→ None');
  });
});

describe('AskUserQuestion fails in a sentence, never with an empty answer', () => {
  it.each<[string, PermissionResult, string]>([
    ['a yes without answers', yes, 'The questions were allowed, but none was answered'],
    ['the questions given back', answer({}), 'The questions were allowed, but none was answered'],
    [
      'an answer that is missing',
      answer({ answers: { [library.question]: 'None' } }),
      '"Where must it run?" has no answer. Ask again, or decide by yourself and say what you assumed. (error 1)',
    ],
    [
      'a blank answer',
      answer({ answers: { ...whole, [targets.question]: ' ' } }),
      '"Where must it run?" has no answer.',
    ],
    [
      'an empty list',
      answer({ answers: { ...whole, [targets.question]: [' '] } }),
      '"Where must it run?" has no answer.',
    ],
    [
      'an answer that nobody asked for',
      answer({ answers: { ...whole, 'Which colour?': 'Red' } }),
      'The answers name "Which colour?", which nobody asked.',
    ],
    [
      'a note to a question that nobody asked',
      answer({ answers: whole, annotations: { 'Which colour?': { notes: 'Red' } } }),
      'The answers name "Which colour?", which nobody asked.',
    ],
    [
      'an answer that is no text',
      answer({ answers: { ...whole, [library.question]: 3 } }),
      'answers',
    ],
  ])('for %s', async (_what, result, sentence) => {
    const turn = await play(result);
    expect(turn.told('ask')).toContain(sentence);
    expect(turn.told('ask')).not.toContain('→');
    expect(turn.result).toMatchObject({ subtype: 'success', result: 'Done.' });
  });

  it.each<[string, object[], string]>([
    ['a question twice', [library, library], 'is asked twice: ask each question once.'],
    [
      'a label twice',
      [{ ...library, options: [library.options[0], library.options[0]] }],
      'has the option "None (Recommended)" twice: give each a label of its own.',
    ],
    ['one option', [{ ...library, options: [library.options[0]] }], 'options'],
    ['a long header', [{ ...library, header: 'Which library' }], 'header'],
    [
      'five questions',
      [1, 2, 3, 4, 5].map((n) => ({ ...library, question: `${n}?` })),
      'questions',
    ],
  ])('for %s, before anybody is asked', async (_what, questions, sentence) => {
    const turn = await play(yes, ...questions);
    expect(turn.told('ask')).toContain(sentence);
    expect(turn.asked).toEqual([]);
  });

  it('for answers that the model brings itself', async () => {
    const smuggled = asks(
      toolUse('ask', 'AskUserQuestion', {
        questions: [library],
        answers: { [library.question]: 'Mine' },
      }),
    );
    const turn = await playPlan([smuggled, says('Done.')], { AskUserQuestion: [yes] });
    expect(turn.told('ask')).toContain('answers');
    expect(turn.asked).toEqual([]);
  });
});

describe("AskUserQuestion's definition", () => {
  it('takes a question without multiSelect as one with a single answer', () => {
    const { multiSelect: _, ...single } = library;
    expect(askUserQuestionInputSchema().parse({ questions: [single] })).toEqual({
      questions: [library],
    });
  });

  it('is there from the first request on, and needs a person', () => {
    expect('shouldDefer' in askUserQuestionTool).toBe(false);
    expect(askUserQuestionTool.requiresUserInteraction()).toBe(true);
  });
});
