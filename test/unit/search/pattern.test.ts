import { describe, expect, it } from 'vitest';
import { emitRegex } from '../../../src/search/regex/emit-regex.ts';
import { parseRegex, type RegexFlags } from '../../../src/search/regex/parse-regex.ts';
import { compilePattern } from '../../../src/search/pattern.ts';
import {
  findRequiredLiterals,
  indexOfLiteral,
} from '../../../src/search/regex/required-literal.ts';

const flags: RegexFlags = {
  ignoreCase: false,
  multiLine: true,
  dotAll: false,
  swapGreed: false,
  isUnicode: true,
  isVerbose: false,
};
const byLine = { ignoreCase: false, multiline: false, checkTime: () => {} };

describe('a pattern that cannot be used', () => {
  it('is shown with its place and what to write instead', () => {
    expect(() => compilePattern('map[string]interface{} {', byLine)).toThrow(
      "The pattern can't be used: at character 21, this brace begins no repetition. To find a " +
        'brace escape it: \\{. A repetition is {2}, {2,} or {2,5}.\n' +
        '  map[string]interface{} {\n' +
        '                      ^',
    );
  });

  it('counts characters and not UTF-16 units', () => {
    expect(() => compilePattern('\u{1f469}é)', byLine)).toThrow(
      /at character 3, a group is closed/,
    );
  });

  it.each([
    ['a(?=b)', /look-around is not supported/],
    ['(a)\\1', /backreference is not supported/],
    ['a\\nb', /Set multiline/],
    ['[a-\\d]', /must begin and end with one character/],
    ['a{3,2}', /runs backwards/],
    ['*', /nothing before this sign/],
    ['\\p{Nope}', /no such Unicode property/],
    ['\\y', /no escape \\y/],
    ['(?-u:.)', /single bytes/],
    ['(?R)a', /no flags of a group/],
    ['\\b{middle}', /no word boundary/],
    ['a{100000}{100000}', /repetitions multiply/],
    ['('.repeat(300), /nested more than 200 deep/],
  ])('%s is refused', (pattern, message) => {
    expect(() => compilePattern(pattern, byLine).expression(true)).toThrow(message);
  });
});

describe('a pattern for whole texts', () => {
  it.each([
    ['foo', false],
    ['foo.bar', true],
    ['(?-s)foo.bar', false],
    ['a\\sb', true],
    ['[^x]', true],
    ['a\\nb', true],
    ['^foo', true],
    ['\\Afoo', true],
    ['\\bfoo\\b', false],
  ])('%s with multiline spans lines: %s', (pattern, spansLines) => {
    expect(compilePattern(pattern, { ...byLine, multiline: true }).spansLines).toBe(spansLines);
  });
});

describe('findRequiredLiterals', () => {
  it.each([
    ['foo', [{ text: 'foo', ignoreCase: false, isWhole: true }]],
    ['foo\\(', [{ text: 'foo(', ignoreCase: false, isWhole: true }]],
    ['\\bfoo\\b', [{ text: 'foo', ignoreCase: false, isWhole: false }]],
    ['\\w+Handler\\(', [{ text: 'Handler(', ignoreCase: false, isWhole: false }]],
    ['a(?:bc)d', [{ text: 'abcd', ignoreCase: false, isWhole: true }]],
    ['a(?:bc)?def', [{ text: 'def', ignoreCase: false, isWhole: false }]],
    ['(?:abc)+d', [{ text: 'abc', ignoreCase: false, isWhole: false }]],
    ['(?i)Foo-1', [{ text: 'foo-1', ignoreCase: true, isWhole: true }]],
    ['(?i:a)bc', [{ text: 'bc', ignoreCase: false, isWhole: false }]],
    [
      'foo|bar\\w',
      [
        { text: 'foo', ignoreCase: false, isWhole: true },
        { text: 'bar', ignoreCase: false, isWhole: false },
      ],
    ],
    ['(foo|bar|x)', []],
    ['foo|(?i:bar)', []],
    ['one|two|three|four|five', []],
    ['\\d+', []],
    ['(?i)é', []],
    ['', []],
  ])('%s: %j', (pattern, literals) => {
    const found = findRequiredLiterals(parseRegex(pattern, flags));
    expect(found.map(({ text, ignoreCase, isWhole }) => ({ text, ignoreCase, isWhole }))).toEqual(
      literals,
    );
  });
});

describe('indexOfLiteral', () => {
  it.each([
    ['extends', 'xtends', ['x extends y', 'extend xtends extends', 'xtends', '']],
    ['catch (', 'h (', ['try catch (e)', 'with (a) switch (b) catch (c)', 'h (']],
    ['=>', '=>', ['a => b', '>=']],
    ['größe', 'öße', ['die größe', 'öße']],
  ])('finds %s by %s', (pattern, tail, texts) => {
    const [literal] = findRequiredLiterals(parseRegex(pattern.replace('(', '\\('), flags));
    if (!literal) throw new Error('It is one.');
    expect(literal.tail).toBe(tail);
    for (const text of texts) {
      for (let from = 0; from <= text.length; from += 1) {
        expect(indexOfLiteral(text, literal, from)).toBe(text.indexOf(pattern, from));
      }
    }
  });
});

describe('emitRegex', () => {
  it.each([
    ['a.b', 'a[^\\n]b', ''],
    ['[^x]', '[\\x00-wy-\\x7f]', ''],
    ['(?i)k', '[Kk]', ''],
    ['\\u{212a}', '[]', ''],
    ['(a*)*', '(?:a)*', ''],
    ['a|b+?', 'a|(?:b)+?', ''],
    ['^\\bx$', '^\\bx$', ''],
  ])('writes %s for ASCII as %s', (pattern, source, emitted) => {
    const node = parseRegex(pattern, flags);
    expect(emitRegex(node, { isAscii: true, scope: 'line' })).toEqual({ source, flags: emitted });
  });

  it.each([
    ['(?i)k', '\u212a', true],
    ['k', '\u212a', false],
    ['\\w', 'é', true],
    ['\\bx', 'éx', false],
    ['.', '\udce9', false],
    ['[^a]', '\udce9', false],
    ['\\P{L}', '\udce9', false],
    ['\\p{Any}', '\udce9', false],
    ['[\\x{0}-\\x{10FFFF}]', '\udce9', false],
    ['^.$', '\u{1f469}', true],
  ])('%s in %j: %s', (pattern, text, isMatch) => {
    const node = parseRegex(pattern, flags);
    const { source, flags: emitted } = emitRegex(node, { isAscii: false, scope: 'line' });
    expect(new RegExp(source, emitted).test(text)).toBe(isMatch);
  });
});
