import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countMatches, findMatches, hasMatch } from '../../../src/search/find-matches.ts';
import { findShownLines } from '../../../src/search/matched-lines.ts';
import { compilePattern } from '../../../src/search/pattern.ts';
import { toSearchableText } from '../../../src/search/index/searchable-text.ts';
import { anyAsciiText, anyPattern, anyText } from '../../support/search/random-patterns.ts';
import { runsHere } from '../../support/runs-here.ts';

/** Line by line, with the whole expression: what all short cuts must agree with. */
function matchingLines(pattern: ReturnType<typeof compilePattern>, text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const expression = pattern.expression(!/\P{ASCII}/u.test(text));
  return lines.filter((line) => {
    expression.lastIndex = 0;
    return expression.test(line);
  });
}

const anyOther = fc.record({
  source: anyPattern,
  text: fc.oneof(anyText, anyAsciiText),
  ignoreCase: fc.boolean(),
});

/** Of alternatives that are looked for one by one, and texts in which most of them are. */
const anyAlternatives = fc.record({
  source: fc.constantFrom(
    'needle|thread',
    'need|needle|eedl',
    '(pin|pins\\w|\\bthread)',
    'größe|pin',
  ),
  text: fc
    .array(fc.constantFrom('needle', 'thread', 'pins', 'größe', 'x', ' ', '\n'), { maxLength: 20 })
    .map((pieces) => pieces.join('')),
  ignoreCase: fc.constant(false),
});

const anyCase = fc.oneof(
  { weight: 5, arbitrary: anyOther },
  { weight: 1, arbitrary: anyAlternatives },
);

describe('finding lines', () => {
  it('finds one of several alternatives that span lines', () => {
    const pattern = compilePattern('needle\\n|thread\\n', { ignoreCase: false, multiline: true });
    const searchable = toSearchableText(new TextEncoder().encode('a needle\n'), {
      isExplicit: true,
    });
    if (searchable === 'binary') throw new Error('It has no NUL.');
    expect(hasMatch(pattern, searchable)).toBe(true);
  });

  it('gives as many lines as are asked for', () => {
    const pattern = compilePattern('needle', { ignoreCase: false, multiline: false });
    const text = new TextEncoder().encode('needle\n'.repeat(3));
    const searchable = toSearchableText(text, { isExplicit: true });
    if (searchable === 'binary') throw new Error('It has no NUL.');
    const shown = { before: 0, after: 0, onlyMatching: false, maxRows: 2 };
    expect(findShownLines(pattern, searchable, shown)).toHaveLength(2);
  });

  it('takes each line around matches once, and asks for the time among many', () => {
    const around = (lines: string, checkTime = () => {}) => {
      const pattern = compilePattern('needle', { ignoreCase: false, multiline: false, checkTime });
      const searchable = toSearchableText(new TextEncoder().encode(lines), { isExplicit: true });
      if (searchable === 'binary') throw new Error('It has no NUL.');
      let taken = 0;
      const counted = {
        ...searchable,
        get isAscii() {
          taken += 1;
          return searchable.isAscii;
        },
      };
      const options = { before: 9999, after: 9999, onlyMatching: false, maxRows: Infinity };
      const shown = findShownLines(pattern, counted, options);
      return { numbers: shown.map(({ number }) => number), taken };
    };
    const { numbers, taken } = around('needle\nx\n'.repeat(200));
    expect(numbers).toEqual(Array.from({ length: 400 }, (_, n) => n + 1));
    // Each line, and the search itself a few times.
    expect(taken).toBeLessThan(450);
    const overTime = () => {
      throw new Error('over time');
    };
    const many = `${'needle\n'}${'x\n'.repeat(9000)}`.repeat(8);
    expect(() => around(many, overTime)).toThrow('over time');
  });

  it('finds those that the expression matches, each by itself', () => {
    fc.assert(
      fc.property(anyCase, ({ source, text, ignoreCase }) => {
        const pattern = compilePattern(source, {
          ignoreCase,
          multiline: false,
          checkTime: () => {},
        });
        const searchable = toSearchableText(new TextEncoder().encode(text), { isExplicit: true });
        if (searchable === 'binary') throw new Error('No text here has a NUL.');
        const expected = matchingLines(pattern, searchable.text);
        const found = [...findMatches(pattern, searchable)].map(({ start, end }) =>
          searchable.text.slice(start, end),
        );
        expect(found).toEqual(expected);
        expect(countMatches(pattern, searchable)).toBe(expected.length);
        expect(hasMatch(pattern, searchable)).toBe(expected.length > 0);
      }),
      { numRuns: runsHere(3000) },
    );
  });
});
