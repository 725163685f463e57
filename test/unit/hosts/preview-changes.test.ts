// What an answer lists of a page where only changes are wanted.
import { expect, it } from 'vitest';
import { toChangedLines } from '../../../src/hosts/browser/preview/changed-lines.ts';

const list = (...lines: string[]) => lines.join('\n');

const before = list(
  '- heading "Tasks" [level=1]',
  '- list',
  '  - listitem: Milk',
  '    - button "Done" [ref=e1]',
  '  - listitem: Bread',
  '    - button "Done" [ref=e2]',
  '- paragraph: 2 left',
  '- button "Add" [ref=e3]',
);

it.each([
  ['nothing', (text: string) => text, '- (Nothing has changed since the last list.)'],
  [
    'a new line below those that it is in',
    (text: string) => text.replace('- paragraph', '    - text: late\n- paragraph'),
    list('- list', '  - listitem: Bread', '    - text: late'),
  ],
  [
    'a line in place of one of its role, and a state',
    (text: string) => text.replace('2 left', '1 left').replace('"Add"', '"Add" [focused]'),
    list('- paragraph: 1 left', '- button "Add" [focused] [ref=e3]'),
  ],
  [
    'what is gone, without what it held',
    (text: string) => text.replace('  - listitem: Milk\n    - button "Done" [ref=e1]\n', ''),
    list('- list', '  - (gone) listitem: Milk'),
  ],
  [
    'what stands elsewhere',
    (text: string) => `${text}\n- heading "Tasks" [level=1]`.replace(/^.*\n/, ''),
    list('- (gone) heading "Tasks" [level=1]', '- heading "Tasks" [level=1]'),
  ],
  ['all that is gone', () => '', before.replace(/^- /gm, '- (gone) ').replace(/^ .*\n/gm, '')],
])('lists %s', (_what, change, expected) => {
  expect(toChangedLines(before, change(before))).toBe(expected);
});

it('lists a whole page after an empty one', () => {
  expect(toChangedLines('', before)).toBe(before);
});
