// Patterns and texts for properties of the search. They have few letters, so that matches are
// common, and all that makes trouble: other cases, digits, line ends, letters beyond ASCII.
import fc from 'fast-check';

const atoms = ['a', 'b', 'ab', 'aba', 'k', 'S', '1', '23', '_', ' ', '-', 'é', '\\(', 'foo', 'Bar'];
const classes = [
  '[ab]',
  '[^a]',
  '[a-z]',
  '[0-9]',
  '\\d',
  '\\w',
  '\\s',
  '.',
  '\\W',
  '[kK]',
  '[é-ü]',
];
const places = ['^', '$', '\\b', '\\B', '\\A', '\\z'];

/** In Rust's syntax, and in JavaScript's as far as ASCII goes. */
export const anyPattern: fc.Arbitrary<string> = fc.letrec<{ readonly pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'pattern' },
    fc.constantFrom(...atoms),
    fc.constantFrom(...atoms),
    fc.constantFrom(...classes),
    fc.constantFrom(...places),
    fc.array(tie('pattern'), { minLength: 2, maxLength: 4 }).map((parts) => parts.join('')),
    fc
      .array(tie('pattern'), { minLength: 2, maxLength: 3 })
      .map((parts) => `(?:${parts.join('|')})`),
    fc
      .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{1,2}', '{2,}', '+?'))
      .map(([part, count]) => `(?:${part})${count}`),
  ),
})).pattern;

const pieces = [
  ...'abkKSsſK123_ -é(',
  'foo',
  'Bar',
  'FOO',
  'aba',
  '\n',
  '\n',
  '\r\n',
  '\r',
  '\u2028',
];

export const anyText: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...pieces), { maxLength: 40 })
  .map((parts) => parts.join(''));

export const anyAsciiText: fc.Arbitrary<string> = anyText.map((text) =>
  text.replace(/\P{ASCII}/gu, 'a'),
);
