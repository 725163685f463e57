import { describe, expect, it } from 'vitest';
import { keepQuotes } from '../../../src/text/keep-quotes.ts';

describe('keepQuotes', () => {
  it.each([
    [
      'the quotes around a word that changes',
      'say “hello”',
      'say "hello"',
      'say "bye"',
      'say “bye”',
    ],
    ['an apostrophe', 'it’s one', "it's one", "it's two", 'it’s two'],
    [
      'the quotes of a text that is put between',
      'say “a” now',
      'say "a" now',
      'say "a" and "b" now',
      'say “a” and “b” now',
    ],
    [
      'the quotes of another language',
      '„ja“ und',
      '"ja" und',
      '"ja", "nein" und',
      '„ja“, „nein“ und',
    ],
    ['straight quotes of the other kind', '“a” b', '"a" b', `"a" it's b`, `“a” it's b`],
    ['a place where all of it is new', '“a”', '"a"', 'none', 'none'],
    ['an edit that was given with the quotes that are there', '“a”', '“a”', '"a"', '"a"'],
    ['straight quotes that were given as curly ones', '"a" b', '“a” b', '“a” c', '"a" c'],
  ])('keeps %s', (_what, replaced, wanted, fresh, kept) => {
    expect(keepQuotes(replaced, wanted, fresh)).toBe(kept);
  });
});
