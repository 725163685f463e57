import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeText } from '../../../src/text/merge-text.ts';
import {
  mergeWithMarkers,
  type ConflictStyle,
  type MarkerStyle,
} from '../../../src/text/merge-with-markers.ts';
import { runsHere } from '../../support/runs-here.ts';

const labels = { base: 'old', ours: 'HEAD', theirs: 'topic' };
const markers: MarkerStyle = { labels, length: 7, style: 'merge' };

const lines = (text: string, end = '\n') =>
  text
    .split(' ')
    .map((line) => line + end)
    .join('');

/** Markers by their first letters, so that a case fits into one line. */
function merge(base: string, ours: string, theirs: string, style: ConflictStyle = 'merge') {
  const sides = { base: lines(base), ours: lines(ours), theirs: lines(theirs) };
  return mergeWithMarkers(sides, { ...markers, style })
    .text.trimEnd()
    .replaceAll(/([<|=>])\1{6}(?: \w+)?/gu, '$1')
    .replaceAll('\n', ' ');
}

// Each as git 2.39 merges it.
describe('mergeWithMarkers', () => {
  it.each([
    ['takes changes of both sides', 'a b c d e', 'A b c d e', 'a b c d E', 'A b c d E'],
    ['takes what both sides did alike', 'a b c', 'a x c', 'a x c', 'a x c'],
    ['marks what differs', 'a b c', 'a x c', 'a y c', 'a < x = y > c'],
    ['leaves out what both ends share', 'a b c', 'p x q', 'p y q', 'p < x = y > q'],
    ['marks a removal', 'a b c', 'a c', 'a y c', 'a < = y > c'],
    [
      'parts a conflict at four lines that both have',
      'a b c',
      'x 1 2 3 4 z',
      'y 1 2 3 4 w',
      '< x = y > 1 2 3 4 < z = w >',
    ],
    [
      'keeps a conflict whole around three',
      'a b c',
      'x 1 2 3 z',
      'y 1 2 3 w',
      '< x 1 2 3 z = y 1 2 3 w >',
    ],
    [
      'joins conflicts with three lines between them',
      'a 1 2 3 b',
      'x 1 2 3 z',
      'y 1 2 3 w',
      '< x 1 2 3 z = y 1 2 3 w >',
    ],
  ])('%s', (_what, base, ours, theirs, merged) => {
    expect(merge(base, ours, theirs)).toBe(merged);
  });

  it('keeps the base and whole sides in the style diff3', () => {
    expect(merge('a b c', 'p x q', 'p y q', 'diff3')).toBe('< p x q | a b c = p y q >');
  });

  it('keeps the base, and what sides share only once, in the style zdiff3', () => {
    expect(merge('a b c', 'p x q', 'p y q', 'zdiff3')).toBe('p < x | a b c = y > q');
  });

  it('ends markers as the lines around them, and a last line without an end', () => {
    const sides = {
      base: lines('a b', '\r\n'),
      ours: lines('a x', '\r\n').trimEnd(),
      theirs: lines('a y', '\r\n'),
    };
    expect(mergeWithMarkers(sides, { ...markers, length: 8 })).toEqual({
      text: 'a\r\n<<<<<<<< HEAD\r\nx\r\n========\r\ny\r\n>>>>>>>> topic\r\n',
      conflicts: 1,
    });
  });

  it('holds on to a line that is rare where the fewest changes would take others', () => {
    const [base, fresh] = ['} } only } } }', '} } } } only'];
    expect(merge(base, fresh, `${base} end`)).toBe('} } } } only < = } } } end >');
  });

  const text = fc
    .array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n', 'd'), { maxLength: 12 })
    .map((parts) => parts.join(''));

  it('gives what either side alone has done, and conflicts whichever side is which', () => {
    fc.assert(
      fc.property(text, text, text, (base, ours, theirs) => {
        const take = (left: string, right: string) =>
          mergeWithMarkers({ base, ours: left, theirs: right }, markers);
        expect(take(ours, base)).toEqual({ text: ours, conflicts: 0 });
        expect(take(base, theirs)).toEqual({ text: theirs, conflicts: 0 });
        expect(take(ours, ours)).toEqual({ text: ours, conflicts: 0 });
        const [one, other] = [take(ours, theirs), take(theirs, ours)];
        expect(other.conflicts > 0).toBe(one.conflicts > 0);
        if (one.conflicts === 0) expect(other).toEqual(one);
      }),
      { numRuns: runsHere(500) },
    );
  });

  it('merges around files that have frequent lines alone, or nothing in common', () => {
    const frequent = '{\n}\n'.repeat(200);
    const sides = { base: frequent, ours: `first\n${frequent}`, theirs: `${frequent}last\n` };
    expect(mergeWithMarkers(sides, markers)).toEqual({
      text: `first\n${frequent}last\n`,
      conflicts: 0,
    });
    const many = (word: string) =>
      Array.from({ length: 100_000 }, (_, at) => `${word} ${at}\n`).join('');
    const strange = { base: many('a'), ours: many('b'), theirs: many('c') };
    expect(mergeWithMarkers(strange, markers).conflicts).toBe(1);
  });

  it('agrees with the merge of drafts where lines are told apart', () => {
    const base = Array.from({ length: 40 }, (_, at) => `line ${at}`);
    const edit = fc.array(fc.tuple(fc.nat(39), fc.nat(9)), { maxLength: 5 });
    const apply = (edits: readonly (readonly [number, number])[]) =>
      base.map((line, at) => edits.find(([its]) => its === at)?.[1] ?? line).join('\n');
    fc.assert(
      fc.property(edit, edit, (left, right) => {
        const [old, ours, theirs] = [apply([]), apply(left), apply(right)];
        const { text: merged, conflicts } = mergeWithMarkers({ base: old, ours, theirs }, markers);
        const draft = mergeText(old, ours, theirs);
        expect(draft.type === 'conflict').toBe(conflicts > 0);
        if (draft.type === 'clean') expect(merged).toBe(draft.text);
      }),
      { numRuns: runsHere(300) },
    );
  });
});
