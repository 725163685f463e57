import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toPassages } from '../../../src/search/index/passages.ts';

const anyLines = fc
  .constantFrom([0, 9000], [1, 8000], [30, 900], [5000, 4], [40_000, 1])
  .map(([length = 0, count = 0]) => `${'x'.repeat(length)}\n`.repeat(count));

const anyText = fc
  .tuple(fc.array(anyLines, { maxLength: 8 }), fc.constantFrom('', '\n', 'last'))
  .map(([lines, end]) => lines.join('') + end);

describe('passages', () => {
  it('are all of the text, in whole lines that are numbered', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const passages = toPassages(text);
        expect(passages.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text);
        for (const { start, firstLine } of passages) {
          const before = text.slice(0, start);
          expect(before === '' || before.endsWith('\n')).toBe(true);
          expect(firstLine).toBe(before.split('\n').length);
        }
      }),
    );
  });

  it('are one for a text that is small, or one line', () => {
    expect(toPassages('')).toHaveLength(1);
    expect(toPassages('line\n'.repeat(4000))).toHaveLength(1);
    expect(toPassages(`${'x'.repeat(200_000)}\n`)).toHaveLength(1);
  });

  it('are many for a large one', () => {
    expect(toPassages('line\n'.repeat(40_000)).length).toBeGreaterThan(9);
  });
});
