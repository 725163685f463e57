// Random queries for Grep, by a grammar of patterns and options: for tests that ask a real ripgrep
// the same. A seed gives the same queries on every machine.
import type { SearchQuery } from './search-fixture.ts';

/** What is drawn from the tree that is searched, so that queries find something. */
export interface Vocabulary {
  readonly words: readonly string[];
  readonly globs: readonly string[];
  readonly types: readonly string[];
  readonly paths: readonly string[];
}

export function createRandomQueries(seed: number, vocabulary: Vocabulary): () => SearchQuery {
  const draw = createDraw(seed);
  return () => {
    const pattern = draw.chance(0.06) ? randomText(draw) : randomPattern(draw, vocabulary, 0);
    return { pattern, ...randomOptions(draw, vocabulary) };
  };
}

interface Draw {
  below(count: number): number;
  chance(probability: number): boolean;
  from<Item>(items: readonly Item[]): Item;
}

function createDraw(seed: number): Draw {
  let state = seed >>> 0;
  // Marsaglia's xorshift over a counter: short, and the same everywhere.
  const next = () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
  return {
    below: (count) => Math.floor(next() * count),
    chance: (probability) => next() < probability,
    from(items) {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new Error('There is nothing to draw from.');
      return item;
    },
  };
}

function randomOptions(
  draw: Draw,
  { globs, types, paths }: Vocabulary,
): Record<string, string | number | boolean> {
  const options: Record<string, string | number | boolean> = {};
  const mode = draw.from(['content', 'content', 'content', 'count', 'files_with_matches']);
  if (mode !== 'files_with_matches') options['output_mode'] = mode;
  if (draw.chance(0.2)) options['-i'] = true;
  if (draw.chance(0.25)) options['multiline'] = true;
  if (mode === 'content') {
    const extra = draw.below(10);
    if (extra < 3) options['-o'] = true;
    if (extra > 6) options[draw.from(['-A', '-B', '-C', 'context'])] = draw.below(4);
    if (draw.chance(0.1)) options['-n'] = false;
  }
  if (draw.chance(0.15)) options['glob'] = draw.from(globs);
  if (draw.chance(0.08)) options['type'] = draw.from(types);
  if (draw.chance(0.1)) options['path'] = draw.from(paths);
  if (draw.chance(0.1)) options['head_limit'] = 1 + draw.below(12);
  if (draw.chance(0.07)) options['offset'] = draw.below(8);
  return options;
}

/** What no grammar wrote: mostly refused, and then by both. */
function randomText(draw: Draw): string {
  const signs = [...'ab(){}[]|*+?\\.^$-&~:,=<!1 x'];
  return Array.from({ length: 1 + draw.below(8) }, () => draw.from(signs)).join('');
}

const classes = [
  ...[
    '[a-f]',
    '[^a-z]',
    '[aeiou]+',
    '[^\\s]',
    '[\\w.-]',
    '[^"\\n]',
    '[0-9a-fA-F]',
    '[a-z&&[^aeiou]]',
  ],
  ...['[\\w--\\d]', '[a-f~~d-k]', '[[:upper:]]', '[[:^alpha:]]', '[[:punct:]]', '[]x]', '[^]x]'],
  ...[
    '[-x]',
    '[x-]',
    '[a[b-d]]',
    '[^a[^b]]',
    '[\\p{L}\\d]',
    '[^\\p{Lu}]',
    '[\\x41-\\x5a]',
    '[é-ü]',
  ],
];
const escapes = [
  ...[
    '\\d',
    '\\D',
    '\\s',
    '\\S',
    '\\w',
    '\\W',
    '\\pL',
    '\\PN',
    '\\p{Lu}',
    '\\P{Greek}',
    '\\p{Han}',
  ],
  ...[
    '\\t',
    '\\r',
    '\\.',
    '\\(',
    '\\)',
    '\\{',
    '\\}',
    '\\[',
    '\\/',
    '\\-',
    '\\"',
    '\\x61',
    '\\u{e9}',
  ],
];
const places = [
  ...['^', '$', '\\b', '\\B', '\\<', '\\>', '\\A', '\\z', '\\b{start}', '\\b{end}'],
  ...['\\b{start-half}', '\\b{end-half}'],
];
const counts = ['*', '+', '?', '*', '+', '{2}', '{1,}', '{0,2}', '{2,4}', '{0}', '{,2}', '{1,0}'];
const groups = [
  '(',
  '(?:',
  '(?i:',
  '(?-i:',
  '(?s:',
  '(?-s:',
  '(?U:',
  '(?x: ',
  '(?m:',
  '(?-m:',
  '(?-u:',
];

function randomPattern(draw: Draw, vocabulary: Vocabulary, depth: number): string {
  const branches = draw.chance(0.18) ? 2 + draw.below(2) : 1;
  return Array.from({ length: branches }, () => {
    const parts = depth > 0 && draw.chance(0.07) ? 0 : 1 + draw.below(depth === 0 ? 4 : 3);
    return Array.from({ length: parts }, () => randomPart(draw, vocabulary, depth)).join('');
  }).join('|');
}

function randomPart(draw: Draw, vocabulary: Vocabulary, depth: number): string {
  const atom = randomAtom(draw, vocabulary, depth);
  if (!draw.chance(0.3)) return atom;
  const count = draw.from(counts.slice(0, draw.chance(0.05) ? counts.length : -2));
  return `${atom}${count}${draw.chance(0.2) ? '?' : ''}`;
}

function randomAtom(draw: Draw, vocabulary: Vocabulary, depth: number): string {
  const kind = draw.below(20);
  if (kind < 6) return draw.from(vocabulary.words);
  if (kind < 9) return draw.from([...'abceinorst_=;,:/<"é1 ']);
  if (kind < 11) return draw.from(classes);
  if (kind < 13) return draw.from(escapes);
  if (kind < 14) return draw.from(places);
  if (kind < 16) return '.';
  if (kind < 17) return draw.chance(0.4) ? '\\n' : draw.from(escapes);
  if (depth > 2) return draw.from(escapes);
  if (draw.chance(0.06))
    return draw.from(['(?i)', '(?s)', '(?U)', '(?-s)', '(?x)', '(?=', '(?<n>']);
  const inside = randomPattern(draw, vocabulary, depth + 1);
  return `${draw.from(draw.chance(0.6) ? groups.slice(0, 2) : groups)}${inside})`;
}
