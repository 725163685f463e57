import { expect, it } from 'vitest';
import { proposeChanged } from '../../../demo/editor/changed-proposal.ts';

const text = 'one\r\ntwo\r\nthree\r\ntwo\r\n';
const linesOf = (input: Record<string, unknown>) =>
  proposeChanged(text, input)?.map(({ oldStart, lines }) => [oldStart, ...lines]);

it('tells what a changed Edit or Write would do to the text', () => {
  expect(linesOf({ old_string: 'one\ntwo', new_string: 'one\nand\ntwo' })).toEqual([[2, '+and']]);
  expect(linesOf({ old_string: 'two', new_string: '2', replace_all: true })).toEqual([
    [2, '-two', '+2'],
    [4, '-two', '+2'],
  ]);
  expect(linesOf({ content: 'one\nthree\ntwo\n' })).toEqual([[2, '-two']]);
});

it('tells nothing of an Edit that does not fit the text', () => {
  expect(linesOf({ old_string: 'four', new_string: '4' })).toBeUndefined();
  expect(linesOf({ old_string: 'two', new_string: '2' })).toBeUndefined();
  expect(linesOf({ new_source: 'x' })).toBeUndefined();
});
