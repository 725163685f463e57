// Parses the text behind a backslash in a pattern, inside and outside of classes.
import { not, perlSet } from './character-sets.ts';
import type { PatternReader } from './pattern-reader.ts';
import type { Assertion, CharacterSet } from './regex-node.ts';
import { toPropertyName } from './unicode-property.ts';

/** The meaning of an escape: one character, a set of them, or a place between characters. */
export type Escape =
  | { readonly kind: 'literal'; readonly codePoint: number }
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'assertion'; readonly assertion: Assertion };

// C's names of control characters, as far as Rust takes them: there is no \e and no \0.
const controls = new Map([
  ['a', 0x07],
  ['f', 0x0c],
  ['n', 0x0a],
  ['r', 0x0d],
  ['t', 0x09],
  ['v', 0x0b],
]);

const assertions = new Map<string, Assertion>([
  ['A', 'text-start'],
  ['z', 'text-end'],
  ['b', 'word-boundary'],
  ['B', 'not-word-boundary'],
  ['<', 'word-start'],
  ['>', 'word-end'],
]);

// Rust's own spelling of one-sided boundaries; the half ones look at one side only.
const braceAssertions = new Map<string, Assertion>([
  ['{start}', 'word-start'],
  ['{end}', 'word-end'],
  ['{start-half}', 'word-start-half'],
  ['{end-half}', 'word-end-half'],
]);

/** Takes the backslash and the rest of the escape. */
export function parseEscape(reader: PatternReader, isUnicode: boolean): Escape {
  const start = reader.position;
  reader.next();
  const char = reader.next();
  const control = controls.get(char);
  if (control !== undefined) return { kind: 'literal', codePoint: control };
  const assertion = assertions.get(char);
  if (assertion !== undefined) {
    return { kind: 'assertion', assertion: parseBoundary(reader, char) ?? assertion };
  }
  switch (char) {
    case 'd':
    case 's':
    case 'w':
      return { kind: 'set', set: perlSet(char, isUnicode) };
    case 'D':
    case 'S':
    case 'W': {
      refuseBytes(reader, start, isUnicode);
      const letter = char === 'D' ? 'd' : char === 'S' ? 's' : 'w';
      return { kind: 'set', set: not(perlSet(letter, isUnicode)) };
    }
    case 'p':
    case 'P': {
      refuseBytes(reader, start, isUnicode);
      const set = parseProperty(reader, start);
      return { kind: 'set', set: char === 'P' ? not(set) : set };
    }
    case 'x':
    case 'u':
    case 'U':
      return { kind: 'literal', codePoint: parseHexadecimal(reader, char, start, isUnicode) };
    default:
      return { kind: 'literal', codePoint: parsePlain(reader, char, start) };
  }
}

/**
 * Refuses a pattern that would match single bytes. Under `(?-u)` Rust's engine works on bytes. The searched text here
 * is decoded, and has none. Matching characters instead would give wrong results without an error.
 */
export function refuseBytes(reader: PatternReader, position: number, isUnicode: boolean): void {
  if (isUnicode) return;
  reader.fail(
    'with (?-u) this would match single bytes of characters, which is not supported here',
    'Leave (?-u) out, or name the ASCII characters that you mean, as in [a-z].',
    position,
  );
}

/**
 * Parses `\b{start}` and its like. Another brace after `\b` is a repetition, and isn't parsed here.
 */
function parseBoundary(reader: PatternReader, char: string): Assertion | undefined {
  if (char !== 'b') return undefined;
  const position = reader.position;
  const brace = reader.takeMatch(/\{[A-Za-z-]+\}/y);
  if (brace === undefined) return undefined;
  return (
    braceAssertions.get(brace) ??
    reader.fail(
      `there is no word boundary \\b${brace}`,
      'There are \\b{start}, \\b{end}, \\b{start-half} and \\b{end-half}.',
      position,
    )
  );
}

/** `\pL` with one letter, `\p{Greek}` with a name. */
function parseProperty(reader: PatternReader, start: number): CharacterSet {
  const braced = reader.takeMatch(/\{[^}]*\}/uy)?.slice(1, -1);
  const name = toPropertyName(braced ?? reader.next());
  if (name === undefined) {
    reader.fail(
      'there is no such Unicode property',
      'Use a category (\\p{Lu}), a script (\\p{Greek}) or a property (\\p{Alphabetic}).',
      start,
    );
  }
  return { kind: 'property', name };
}

/** `\x7F`, `\u007F`, `\U0000007F`, and each with any number of digits in braces. */
function parseHexadecimal(
  reader: PatternReader,
  letter: string,
  start: number,
  isUnicode: boolean,
): number {
  const count = letter === 'x' ? 2 : letter === 'u' ? 4 : 8;
  const digits =
    reader.takeMatch(/\{[0-9A-Fa-f]+\}/y)?.slice(1, -1) ??
    reader.takeMatch(new RegExp(`[0-9A-Fa-f]{${count}}`, 'y'));
  if (digits === undefined) {
    reader.fail(
      `\\${letter} isn't followed by hexadecimal digits`,
      `Write ${count} of them, or any number in braces: \\${letter}{7F}.`,
      start,
    );
  }
  const codePoint = Number.parseInt(digits, 16);
  if (codePoint > 0x10ffff || (codePoint >= 0xd800 && codePoint <= 0xdfff)) {
    reader.fail('there is no character of this number', 'The last is \\x{10FFFF}.', start);
  }
  if (codePoint > 0x7f) refuseBytes(reader, start, isUnicode);
  return codePoint;
}

/** A character that stands for itself. Refuses those that Rust reserves or doesn't have. */
function parsePlain(reader: PatternReader, char: string, start: number): number {
  if (char === '') {
    reader.fail('a backslash ends the pattern', 'To find a backslash write \\\\.', start);
  }
  if (/[0-9]/.test(char)) {
    reader.fail(
      'a backreference is not supported',
      'Write the expression out once more, or search with Repl.',
      start,
    );
  }
  if (/[A-Za-z]|\P{ASCII}/u.test(char)) {
    const instead = char === 'Z' ? 'For the end of the text write \\z.' : `Write ${char} alone.`;
    reader.fail(`there is no escape \\${char}`, instead, start);
  }
  return char.charCodeAt(0);
}
