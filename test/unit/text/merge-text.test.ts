import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeText } from '../../../src/text/merge-text.ts';
import { runsHere } from '../../support/runs-here.ts';

const lines = (text: string) =>
  text
    .split(' ')
    .map((line) => `${line}\n`)
    .join('');
const merge = (base: string, ours: string, theirs: string) =>
  mergeText(lines(base), lines(ours), lines(theirs));

describe('mergeText', () => {
  const clean: readonly (readonly [what: string, ...texts: string[]])[] = [
    ['a change on either side', 'a b c d e', 'A b c d e', 'a b c d E', 'A b c d E'],
    ['an insertion and a removal', 'a b c d e', 'a b x c d e', 'a b c d', 'a b x c d'],
    ['the same change on both sides', 'a b c', 'a B c', 'a B c', 'a B c'],
    ['one change in common and one more', 'a b c d e', 'a B c d E', 'a B c d e', 'a B c d E'],
    ['the same insertion', 'a b', 'a x b', 'a x b', 'a x b'],
    ['a side that is as it was', 'a b c', 'a b c', 'x', 'x'],
    ['the end of the one and the beginning of the other', 'a b', 'a b c', 'z a b', 'z a b c'],
    ['one line between two changes', 'a b c', 'A b c', 'a b C', 'A b C'],
  ];
  it.each(clean)('merges %s', (_what, base = '', ours = '', theirs = '', merged = '') => {
    expect(merge(base, ours, theirs)).toEqual({ type: 'clean', text: lines(merged) });
    expect(merge(base, theirs, ours)).toEqual({ type: 'clean', text: lines(merged) });
  });

  it('names each place where both sides made something else of the same lines', () => {
    expect(merge('a b c d e f', 'A b c d X f', 'B b c d Y f')).toEqual({
      type: 'conflict',
      regions: [
        { line: 1, base: 'a\n', ours: 'A\n', theirs: 'B\n' },
        { line: 5, base: 'e\n', ours: 'X\n', theirs: 'Y\n' },
      ],
    });
  });

  it.each([
    ['changes that touch', 'a b c d', 'a B c d', 'a b C d'],
    ['a change of lines that were removed', 'a b c d', 'a d', 'a b C d'],
    ['two insertions in one place', 'a b', 'a x b', 'a y b'],
  ])('takes %s for a conflict', (_what, base, ours, theirs) => {
    expect(merge(base, ours, theirs).type).toBe('conflict');
  });

  it('knows a last line without an end from one that has it', () => {
    expect(mergeText('a\nb', 'a\nb\n', 'a\nb\nc\n').type).toBe('conflict');
    expect(mergeText('a\nb\nc', 'A\nb\nc', 'a\nb\nc\n')).toEqual({
      type: 'clean',
      text: 'A\nb\nc\n',
    });
  });

  it('takes texts that differ too much for one changed region, and still merges around it', () => {
    const base = Array.from({ length: 6000 }, (_, at) => `line ${at}`).join('\n');
    const ours = `${base.replaceAll('line', 'LINE')}\nend\n`;
    const fresh = ours.replace('LINE 0\n', 'line 0\n');
    expect(mergeText(`${base}\nend\n`, fresh, `${base}\nthe end\n`).type).toBe('conflict');
    const tail = 'x\ny\nz\n';
    expect(
      mergeText(`${base}\n${tail}`, `${fresh.slice(0, -4)}${tail}`, `${base}\n${tail}end\n`),
    ).toEqual({ type: 'clean', text: `${fresh.slice(0, -4)}${tail}end\n` });
  });

  it('is in bounds for hundreds of thousands of lines that all differ', () => {
    const text = (word: string) => `${word}\n`.repeat(300_000);
    expect(mergeText(text('a'), text('b'), text('c')).type).toBe('conflict');
    expect(mergeText(text('a'), text('b'), `${text('a')}end\n`).type).toBe('conflict');
  });

  const text = fc
    .array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n', 'd'), { maxLength: 12 })
    .map((parts) => parts.join(''));

  it('gives what either side alone has done, and the same whichever side is which', () => {
    fc.assert(
      fc.property(text, text, text, (base, ours, theirs) => {
        expect(mergeText(base, ours, base)).toEqual({ type: 'clean', text: ours });
        expect(mergeText(base, base, theirs)).toEqual({ type: 'clean', text: theirs });
        expect(mergeText(base, ours, ours)).toEqual({ type: 'clean', text: ours });
        const [one, other] = [mergeText(base, ours, theirs), mergeText(base, theirs, ours)];
        expect(other.type).toBe(one.type);
        if (one.type === 'clean') expect(other).toEqual(one);
      }),
      { numRuns: runsHere(1000) },
    );
  });

  it('keeps every change of two sides that worked in different places', () => {
    const part = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n'), { maxLength: 5 });
    fc.assert(
      fc.property(part, part, part, part, (top, bottom, newTop, newBottom) => {
        // A line that is nowhere else keeps the places apart.
        const join = (first: string[], last: string[]) => [...first, 'middle\n', ...last].join('');
        expect(mergeText(join(top, bottom), join(newTop, bottom), join(top, newBottom))).toEqual({
          type: 'clean',
          text: join(newTop, newBottom),
        });
      }),
      { numRuns: runsHere(1000) },
    );
  });
});
