import { describe, expect, it } from 'vitest';
import { analyzeBacktracking } from '../../../src/search/regex/backtracking.ts';
import { parseRegex } from '../../../src/search/regex/parse-regex.ts';

const flags = {
  ...{ ignoreCase: false, multiLine: true, dotAll: false },
  ...{ swapGreed: false, isUnicode: true, isVerbose: false },
};

const analyze = (pattern: string) => analyzeBacktracking(parseRegex(pattern, flags));

describe('the analysis of a pattern', () => {
  it.each([
    ['abc', 1],
    ['a*b', 2],
    ['(a|b)+c', 2],
    ['(a*c?)*b', Infinity],
    ['(a{1,100}b?){1,100}c', Infinity],
    ['(a|a)*b', Infinity],
  ])('tells how its work grows: %s', (pattern, degree) => {
    expect(analyze(pattern).degree).toBe(degree);
  });

  // Without a bound these take minutes, and gigabytes.
  it.each([
    ['plain', 'a'.repeat(10_000)],
    ['optional', 'a?'.repeat(4_000)],
    ['branching', `(${'a|'.repeat(2_000)}b)+`.repeat(2)],
  ])('leaves a very large one to the automaton: %s', (_what, pattern) => {
    expect(analyze(pattern)).toEqual({ degree: Infinity, factor: 1, costlyPart: undefined });
  });

  // A row of thirty such takes longer than anybody lives: each doubles the ways.
  it.each(['x(?:|)y', 'x(?:^|\\b)y', 'x(?:a?|\\B)y', 'x(?:(?:^|\\B)a)*y'])(
    'leaves to the automaton what matches nothing in two ways: %s',
    (pattern) => {
      expect(analyze(pattern).degree).toBe(Infinity);
    },
  );

  it('is made once for each', () => {
    const node = parseRegex('a+b', flags);
    expect(analyzeBacktracking(node)).toBe(analyzeBacktracking(node));
  });
});
