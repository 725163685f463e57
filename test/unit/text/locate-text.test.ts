import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explainMissingText } from '../../../src/text/explain-missing-text.ts';
import { locateText, replaceRanges } from '../../../src/text/locate-text.ts';

describe('locateText', () => {
  it.each([
    [
      'aXbX',
      'X',
      [
        [1, 2, 1],
        [3, 4, 1],
      ],
    ],
    ['aaa', 'aa', [[0, 2, 1]]],
    ['a\nb\nc', 'b', [[2, 3, 2]]],
    ['a\r\nb\r\nc', 'a\nb', [[0, 4, 1]]],
    ['a\r\nb\r\nc', 'b\r\nc', [[3, 7, 2]]],
    ['a\nb\nc', 'b\r\nc', [[2, 5, 2]]],
    ['a\r\n\r\nb', '\n\nb', [[1, 6, 1]]],
    ['say “x”', '"x"', [[4, 7, 1]]],
    ['it’s', "it's", [[0, 4, 1]]],
    ['a', 'b', []],
  ])('in %j finds %j', (text, wanted, ranges) => {
    expect(locateText(text, wanted).map(({ start, end, line }) => [start, end, line])).toEqual(
      ranges,
    );
  });

  it('gives ranges of the text itself, whatever its line ends', () => {
    const piece = fc.constantFrom('a', 'b', '\n', '\r\n', '“', '"');
    const text = fc.array(piece, { maxLength: 30 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text.filter(Boolean), (whole, wanted) => {
        const plain = (value: string) => value.replaceAll('\r\n', '\n').replace(/“/g, '"');
        for (const { start, end, line } of locateText(whole, wanted)) {
          expect(plain(whole.slice(start, end))).toBe(plain(wanted));
          expect(whole.slice(0, start).split('\n')).toHaveLength(line);
        }
      }),
    );
  });
});

describe('replaceRanges', () => {
  it('changes the ranges and nothing else', () => {
    const ranges = locateText('a-b-c', '-');
    expect(replaceRanges('a-b-c', ranges, (replaced) => `${replaced}>`)).toBe('a->b->c');
  });
});

describe('explainMissingText', () => {
  const text = 'function a() {\n\treturn 1;\n}\n';
  it.each([
    [
      '    return 1;',
      'The same text with other white space (indentation, tabs, line breaks) is on line 2: "\\treturn 1;". Copy it exactly as the file has it.',
    ],
    [
      'function a() {\n  return 1;',
      'The same text with other white space (indentation, tabs, line breaks) is on line 1, and line 2 is "\\treturn 1;". Copy it exactly as the file has it.',
    ],
    ['RETURN 1', 'The same text with other upper and lower case letters is in the file.'],
    [
      '     1\tfunction a() {',
      'It begins with line numbers: leave out the numbers and tabs that Read puts before lines.',
    ],
    [
      'function a() {\n\treturn 2;',
      'Its beginning is on line 1, but on line 2 the file has "\\treturn 1;".',
    ],
    ['}\nmore', 'Its beginning is on line 3, but on line 4 the file has "".'],
    [' \n ', 'It is only white space; give the text around it too.'],
    ['unheard of', 'Nothing in the file resembles it. Read the file to see what it says now.'],
  ])('of %j', (wanted, explanation) => {
    expect(explainMissingText(text, wanted)).toBe(explanation);
  });

  it.each([
    ['a\u00A0b', 'a b', /white space .* is on line 1: "a\\u00a0b"\./],
    ['x\ncafe\u0301 = 1', 'caf\u00E9 = 1', /look alike.* line 2, .*"cafe\\u0301 = 1"\./],
    ['1 \u2013 2', '1 - 2', /look alike.* line 1, .*"1 \\u2013 2"\./],
    ['con\u200Bst', 'const', /not to be seen, is on line 1, .*"con\\u200bst"\./],
    ['const', '\u200B', /Nothing in the file resembles it/],
  ])('of %j names what makes %j another text', (has, wanted, sentence) => {
    expect(explainMissingText(has, wanted)).toMatch(sentence);
  });
});
