// Bracketed classes: `[a-z]`, nested and combined with `&&`, `--` and `~~`, POSIX names in them.
import { not, posixSet, range } from './character-sets.ts';
import { parseEscape, refuseBytes } from './parse-escape.ts';
import type { PatternReader } from './pattern-reader.ts';
import type { CharacterSet } from './regex-node.ts';

export interface ClassFlags {
  readonly isUnicode: boolean;
  readonly isVerbose: boolean;
}

// Operators bind weaker than a union, so `[a-z0-9--x]` takes x out of both ranges.
type Operator = 'intersection' | 'difference' | 'symmetric-difference';

const operators: readonly (readonly [string, Operator])[] = [
  ['&&', 'intersection'],
  ['--', 'difference'],
  ['~~', 'symmetric-difference'],
];

/** Takes a class from its `[` to its `]`. */
export function parseClass(reader: PatternReader, flags: ClassFlags): CharacterSet {
  const start = reader.position;
  reader.next();
  reader.skipSpace(flags.isVerbose);
  const isNegated = reader.take('^');
  if (isNegated) refuseBytes(reader, start, flags.isUnicode);
  let items = parseFirstItems(reader, flags);
  let left: CharacterSet | undefined;
  let pending: Operator | undefined;
  // Operators have one precedence and work from the left. The items between them are a union.
  const reduce = (): CharacterSet => {
    const right: CharacterSet = { kind: 'union', sets: items };
    return left && pending ? { kind: pending, left, right } : right;
  };
  for (;;) {
    reader.skipSpace(flags.isVerbose);
    if (reader.isAtEnd) failUnclosed(reader, start);
    if (reader.take(']')) return isNegated ? not(reduce()) : reduce();
    const operator = operators.find(([sign]) => reader.take(sign));
    if (operator) {
      left = reduce();
      pending = operator[1];
      items = [];
    } else items.push(parseItem(reader, flags, start));
  }
}

/** Dashes at the beginning stand for themselves, and so does a `]` that comes first of all. */
function parseFirstItems(reader: PatternReader, flags: ClassFlags): CharacterSet[] {
  const items: CharacterSet[] = [];
  reader.skipSpace(flags.isVerbose);
  while (reader.take('-')) {
    items.push(range(0x2d));
    reader.skipSpace(flags.isVerbose);
  }
  if (items.length === 0 && reader.take(']')) items.push(range(0x5d));
  return items;
}

/** A nested class, a character, a range, or an escape that is a set. */
function parseItem(reader: PatternReader, flags: ClassFlags, classStart: number): CharacterSet {
  if (reader.startsWith('[')) return parsePosix(reader, flags) ?? parseClass(reader, flags);
  const start = reader.position;
  const from = parseMember(reader, flags);
  reader.skipSpace(flags.isVerbose);
  if (!isRangeNext(reader)) return typeof from === 'number' ? range(from) : from;
  reader.next();
  reader.skipSpace(flags.isVerbose);
  if (reader.isAtEnd) failUnclosed(reader, classStart);
  const to = parseMember(reader, flags);
  if (typeof from !== 'number' || typeof to !== 'number') {
    reader.fail(
      'a range must begin and end with one character',
      'To find a dash put it first in the class: [-a].',
      start,
    );
  }
  if (from > to) {
    reader.fail('the range runs backwards', 'Write its lower end first.', start);
  }
  return range(from, to);
}

/** A dash is a range's unless it ends the class or begins the operator `--`. */
function isRangeNext(reader: PatternReader): boolean {
  return reader.startsWith('-') && !reader.startsWith('-]') && !reader.startsWith('--');
}

/** One character, as its number, or an escape's set. */
function parseMember(reader: PatternReader, flags: ClassFlags): number | CharacterSet {
  if (!reader.startsWith('\\')) {
    const start = reader.position;
    const codePoint = reader.next().codePointAt(0) ?? 0;
    if (codePoint > 0x7f) refuseBytes(reader, start, flags.isUnicode);
    return codePoint;
  }
  const start = reader.position;
  const escape = parseEscape(reader, flags.isUnicode);
  switch (escape.kind) {
    case 'literal':
      return escape.codePoint;
    case 'set':
      return escape.set;
    case 'assertion':
      return reader.fail(
        'a class holds characters, and this escape is a place between them',
        'Take it out of the brackets.',
        start,
      );
  }
}

/**
 * Parses `[:alpha:]` inside a class. A text that isn't spelled as one is an ordinary nested class.
 */
function parsePosix(reader: PatternReader, flags: ClassFlags): CharacterSet | undefined {
  const [, hat, name = ''] = /^\[:(\^?)([a-z]+):\]/.exec(reader.text.slice(reader.position)) ?? [];
  const set = posixSet(name);
  if (!set) return undefined;
  if (hat) refuseBytes(reader, reader.position, flags.isUnicode);
  reader.take(`[:${hat}${name}:]`);
  return hat ? not(set) : set;
}

function failUnclosed(reader: PatternReader, position: number): never {
  return reader.fail(
    'a class is never closed',
    'Add the missing ], or write \\[ to find a bracket.',
    position,
  );
}
