import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findTextEdits } from '../../../src/text/find-text-edits.ts';

const apply = (text: string, edits: ReturnType<typeof findTextEdits>) =>
  edits.reduceRight(
    (now, { from, to, insert }) => now.slice(0, from) + insert + now.slice(to),
    text,
  );

describe('findTextEdits', () => {
  it('changes only what differs, in as many places as there are', () => {
    const before = 'let a = 1;\nlet b = 2;\nlet c = 3;\n';
    expect(findTextEdits(before, 'let a = 7;\nlet b = 2;\nlet d = 3;\n')).toEqual([
      { from: 8, to: 9, insert: '7' },
      { from: 26, to: 27, insert: 'd' },
    ]);
    expect(findTextEdits('a\nb\nc\n', 'a\nc\n')).toEqual([{ from: 2, to: 4, insert: '' }]);
    expect(findTextEdits('same', 'same')).toEqual([]);
    expect(findTextEdits('', 'new')).toEqual([{ from: 0, to: 0, insert: 'new' }]);
  });

  it('cuts no surrogate pair', () => {
    expect(findTextEdits('a😀b', 'a😁b')).toEqual([{ from: 1, to: 3, insert: '😁' }]);
  });

  it('makes any text of any other, by edits in their order', () => {
    const line = fc.constantFrom('a', 'b', 'ab', '', '😀', '😁x');
    const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const edits = findTextEdits(before, after);
        expect(apply(before, edits)).toBe(after);
        edits.forEach(({ from, to }, n) => {
          expect(from).toBeLessThanOrEqual(to);
          expect(from).toBeGreaterThanOrEqual(edits[n - 1]?.to ?? 0);
        });
      }),
      { numRuns: 100 },
    );
  });
});
