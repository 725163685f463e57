// The named sets of Rust's regular expressions: `\d \s \w`, POSIX classes, Unicode properties.
import type { CharacterSet } from './regex-node.ts';

export function range(from: number, to = from): CharacterSet {
  return { kind: 'range', from, to };
}

export function not(set: CharacterSet): CharacterSet {
  return { kind: 'not', set };
}

/** ASCII sets as ranges: pairs of characters, run together. */
function ranges(pairs: string): CharacterSet {
  const sets: CharacterSet[] = [];
  for (let at = 0; at < pairs.length; at += 2) {
    sets.push(range(pairs.charCodeAt(at), pairs.charCodeAt(at + 1)));
  }
  return { kind: 'union', sets };
}

function properties(...names: readonly string[]): CharacterSet {
  return { kind: 'union', sets: names.map((name) => ({ kind: 'property', name })) };
}

/**
 * The set of `\d`, `\s` or `\w`, by its letter. It is the same object each time, so facts about it
 * may be kept.
 */
export function perlSet(letter: 'd' | 's' | 'w', isUnicode: boolean): CharacterSet {
  return isUnicode ? unicodePerlSets[letter] : asciiPerlSets[letter];
}

const unicodePerlSets = {
  d: properties('Nd'),
  s: properties('White_Space'),
  w: properties('Alphabetic', 'M', 'Nd', 'Pc', 'Join_Control'),
};

const asciiPerlSets = { d: ranges('09'), s: ranges('\t\r  '), w: ranges('09AZaz__') };

const posixPairs = new Map([
  ['alnum', '09AZaz'],
  ['alpha', 'AZaz'],
  ['ascii', '\x00\x7f'],
  ['blank', '\t\t  '],
  ['cntrl', '\x00\x1f\x7f\x7f'],
  ['digit', '09'],
  ['graph', '!~'],
  ['lower', 'az'],
  ['print', ' ~'],
  ['punct', '!/:@[`{~'],
  ['space', '\t\r  '],
  ['upper', 'AZ'],
  ['word', '09AZaz__'],
  ['xdigit', '09AFaf'],
]);

/** The set of `[:name:]`. Undefined if there is none of that name. */
export function posixSet(name: string): CharacterSet | undefined {
  const pairs = posixPairs.get(name);
  return pairs === undefined ? undefined : ranges(pairs);
}
