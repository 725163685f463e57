import { expect, test } from 'vitest';
import { isSameQuestion } from '../../../../src/agent/journal/same-question.ts';
import type { QuestionRecord } from '../../../../src/core/session/journal.ts';

const asked: QuestionRecord['question'] = {
  toolName: 'Write',
  input: { file_path: 'a.txt', content: 'one' },
  toolUseID: 'call-1',
  title: 'Write a.txt',
  suggestions: [],
};
const change = { type: 'update', path: '/a.txt', additions: 1, deletions: 0 } as never;

test.each<[string, Partial<QuestionRecord['question']>, boolean]>([
  ['the same', {}, true],
  ['told in other words', { title: 'Write to a.txt', suggestions: undefined as never }, true],
  ['of another tool', { toolName: 'Edit' }, false],
  ['about another input', { input: { file_path: 'a.txt', content: 'two' } }, false],
  ['about what it has changed', { changes: [change] }, false],
  ['asked for somebody else', { principal: { kind: 'remote', serverName: 'x' } as never }, false],
])('an answer holds for a question that is %s: %#', (_, changes, holds) => {
  expect(isSameQuestion(asked, { ...asked, ...changes })).toBe(holds);
});
