// What an answer may hold of who answers for another one.
import { describe, expect, it } from 'vitest';
import { checkAsAsked } from '../../../../src/agent/permissions/as-asked.ts';

const input = { questions: [{ question: 'Which?' }], note: 'n' };
const allow = { behavior: 'allow' } as const;
const rule = { type: 'setMode', mode: 'bypassPermissions', destination: 'session' } as const;

describe('an answer of who answers for another one', () => {
  it('says yes or no, and brings what a person has chosen', () => {
    checkAsAsked(allow, input);
    checkAsAsked({ behavior: 'deny', message: 'No.' }, input);
    checkAsAsked({ ...allow, updatedPermissions: [], updatedInput: input }, input);
    const answered = { ...input, answers: { 'Which?': 'This.' }, annotations: {} };
    checkAsAsked({ ...allow, updatedInput: answered }, input);
  });

  it.each<[string, Record<string, unknown>]>([
    ['another value', { ...input, note: 'm' }],
    ['a value left out', { questions: input.questions }],
    ['another field', { ...input, mode: 'bypassPermissions' }],
  ])('changes no input: %s', (_name, updatedInput) => {
    const refusal = 'leaves the input as it is';
    expect(() => checkAsAsked({ ...allow, updatedInput }, input)).toThrow(refusal);
  });

  it('changes no answers that the call has by itself', () => {
    const given = { ...input, answers: { 'Which?': 'This.' } };
    const updatedInput = { ...given, answers: { 'Which?': 'That.' } };
    expect(() => checkAsAsked({ ...allow, updatedInput }, given)).toThrow('leaves the input');
  });

  it('holds no rules, and no input of a question that nobody has put', () => {
    expect(() => checkAsAsked({ ...allow, updatedPermissions: [rule] }, input)).toThrow(
      'holds no rules',
    );
    expect(() => checkAsAsked({ ...allow, updatedInput: input }, undefined)).toThrow(
      'leaves the input as it is',
    );
  });
});
