// What an answer on behalf of a session's owner may contain.
import { describe, expect, it } from 'vitest';
import { checkAsAsked } from '../../../../src/agent/permissions/as-asked.ts';

const input = { questions: [{ question: 'Which?' }], note: 'n' };
const allow = { behavior: 'allow' } as const;
const rule = { type: 'setMode', mode: 'bypassPermissions', destination: 'session' } as const;

describe("an answer on behalf of a session's owner", () => {
  it('may allow, deny, and add what a person has chosen', () => {
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
  ])('may not change the input: %s', (_name, updatedInput) => {
    const refusal = 'may not change the input';
    expect(() => checkAsAsked({ ...allow, updatedInput }, input)).toThrow(refusal);
  });

  it('may not change answers that the call itself has', () => {
    const given = { ...input, answers: { 'Which?': 'This.' } };
    const updatedInput = { ...given, answers: { 'Which?': 'That.' } };
    expect(() => checkAsAsked({ ...allow, updatedInput }, given)).toThrow(
      'may not change the input',
    );
  });

  it('may not set rules, nor give an input to a question that does not exist', () => {
    expect(() => checkAsAsked({ ...allow, updatedPermissions: [rule] }, input)).toThrow(
      'may not set rules',
    );
    expect(() => checkAsAsked({ ...allow, updatedInput: input }, undefined)).toThrow(
      'may not change the input',
    );
  });
});
