import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ContentIndex,
  type ContentEntry,
  type ContentIndexOptions,
} from '../../../src/search/index/content-index.ts';
import { countMatches, hasMatch } from '../../../src/search/find-matches.ts';
import { findShownLines } from '../../../src/search/matched-lines.ts';
import { compilePattern } from '../../../src/search/pattern.ts';
import { anyAsciiText, anyPattern, anyText } from '../../support/search/random-patterns.ts';
import { runsHere } from '../../support/runs-here.ts';

const checkTime = () => {};

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** An index of these texts, numbered from 1. */
function createIndex(texts: readonly string[], options?: ContentIndexOptions) {
  const index = new ContentIndex(options);
  const entries = texts.map((text, at) => {
    const entry = index.entryOf(at + 1);
    index.take(entry, bytesOf(text));
    return entry;
  });
  return { index, entries };
}

/** Which of the texts the index would have read for a pattern. */
function candidates(
  pattern: string,
  { index, entries }: { readonly index: ContentIndex; readonly entries: readonly ContentEntry[] },
  options = { ignoreCase: false, multiline: false },
): number[] {
  const { plans } = compilePattern(pattern, { ...options, checkTime });
  const filter = index.createFilter(plans);
  return entries.flatMap(({ row, content }) => (filter.mayMatch(row) ? [Number(content)] : []));
}

describe('the index', () => {
  it('passes over no text that matches', () => {
    const anyCase = fc.record({
      pattern: anyPattern,
      texts: fc.array(fc.oneof(anyText, anyAsciiText), { minLength: 1, maxLength: 8 }),
      ignoreCase: fc.boolean(),
      multiline: fc.boolean(),
    });
    fc.assert(
      fc.property(anyCase, ({ pattern, texts, ignoreCase, multiline }) => {
        const compiled = compilePattern(pattern, { ignoreCase, multiline, checkTime });
        const known = createIndex(texts);
        const read = new Set(candidates(pattern, known, { ignoreCase, multiline }));
        texts.forEach((text, at) => {
          const row = known.entries[at]?.row ?? 0;
          const taken = known.index.useText(row);
          if (taken && hasMatch(compiled, taken)) {
            expect(read.has(at + 1), JSON.stringify(text)).toBe(true);
          }
        });
      }),
      { numRuns: runsHere(500) },
    );
  });

  it.each([
    ['a literal', 'needle', [1, 5]],
    ['a literal in any case', '(?i)NEEDLE', [1, 5]],
    ['alternatives', 'needle|thread', [1, 2, 5]],
    ['digits, by their number', '[0-9]{4}-[0-9]{2}', [3]],
    ['what stands between classes', '\\w+eedl\\w+', [1, 5]],
    ['a class of few', 'need[kl]e', [1, 5]],
    ['letters beyond ASCII', 'größe', [4]],
    ['characters that no ASCII text has', '\\p{Han}', [4]],
    ['what every text may match', 'e|x', [1, 2, 3, 4, 5, 6]],
  ])('knows which texts may hold %s', (_what, pattern, expected) => {
    const texts = ['a needle', 'a thread', 'on 2024-05-01', 'größe 大', 'Needles\n', 'neither'];
    expect(candidates(pattern, createIndex(texts))).toEqual(expected);
  });

  it('knows of nothing beyond ASCII that folds into it', () => {
    const texts = ['\u212aelvin', 'ma\u017fs', 'mass kelvin', 'neither'];
    const known = createIndex(texts);
    expect(candidates('(?i)kelvin|mass', known)).toEqual(expect.arrayContaining([1, 2, 3]));
    expect(candidates('(?i)kelvin|mass', known)).not.toContain(4);
  });

  it('indexes the text of UTF-16, and not its bytes', () => {
    const index = new ContentIndex();
    const entry = index.entryOf(1);
    const units = Uint16Array.from('\ufeffneedle', (char) => char.charCodeAt(0));
    index.take(entry, new Uint8Array(units.buffer));
    expect(candidates('needle', { index, entries: [entry] })).toEqual([1]);
    expect(candidates('thread', { index, entries: [entry] })).toEqual([]);
  });

  it('lets contents pass that nobody has read, and no binary ones', () => {
    const index = new ContentIndex();
    const entries = [index.entryOf(1), index.entryOf(2)];
    const [, binary] = entries;
    if (binary) expect(index.take(binary, new Uint8Array([110, 0, 110]))).toBe('binary');
    expect(candidates('needle', { index, entries })).toEqual([1]);
    expect(index.unread).toBe(1);
  });

  it('tells texts apart whose bitmaps lie together, also when some of them are forgotten', () => {
    // All of one length, no two with the same letters.
    const words = Array.from({ length: 100 }, (_, at) => {
      const [first, second] = [97 + (at % 10), 107 + Math.floor(at / 10)];
      return String.fromCharCode(first, second, first, second, second, first).repeat(3);
    });
    const known = createIndex(words);
    expect(words.map((word) => candidates(word, known))).toEqual(words.map((_, at) => [at + 1]));
    const left = words.flatMap((_, at) => (at % 3 === 0 ? [at + 1] : []));
    known.index.retain(new Map(left.map((id) => [id, 18])));
    const entries = known.entries.filter(({ content }) => left.includes(Number(content)));
    expect(left.map((id) => candidates(words[id - 1] ?? '', { ...known, entries }))).toEqual(
      left.map((id) => [id]),
    );
  });

  it('tells texts apart whose bitmaps are long, and lie together otherwise', () => {
    const word = (at: number) =>
      Math.imul(at + 1, 0x9e3779b1)
        .toString(36)
        .replace('-', '');
    const texts = Array.from({ length: 20 }, (_, text) =>
      Array.from({ length: 300 }, (__, at) => word(text * 300 + at)).join(' '),
    );
    const known = createIndex(texts);
    for (const [at] of texts.entries()) {
      expect(candidates(word(at * 300 + 7), known)).toContain(at + 1);
    }
  });

  it('takes half the memory with 4 bits a trigram', () => {
    // As varied as code is: each line has a word of its own.
    const lines = Array.from({ length: 20_000 }, (_, at) => {
      const word = Math.imul(at + 1, 0x9e3779b1)
        .toString(36)
        .replace('-', '');
      return `  const value${at % 97} = read${word}(input.${word.slice(0, 3)}, options);\n`;
    });
    const texts = Array.from({ length: 200 }, (_, at) =>
      lines.slice(at * 100, at * 100 + 100).join(''),
    );
    const sizeWith = (bitsPerTrigram: 4 | 8) =>
      createIndex(texts, { bitsPerTrigram }).index.bytes.bitmaps;
    // But for a part of a word in each.
    expect(sizeWith(4) / sizeWith(8)).toBeCloseTo(0.5, 2);
  });
});

describe('large texts', () => {
  // Passages are of 16 Ki and more: each is filled up to where the odd lines are its last.
  const anyLargeText = fc
    .tuple(
      fc.array(fc.tuple(fc.nat({ max: 12 }), fc.oneof(anyText, anyAsciiText)), {
        minLength: 2,
        maxLength: 4,
      }),
      fc.constantFrom('', '\n', 'é'),
    )
    .map(([parts, end]) =>
      [...parts.map(([length, text]) => 'zz zz\n'.repeat(2719 + length) + text), end].join(''),
    );

  it('match in the passages that the index knows of, as if the whole were searched', () => {
    const anyCase = fc.record({
      source: anyPattern,
      text: anyLargeText,
      ignoreCase: fc.boolean(),
      multiline: fc.boolean(),
    });
    fc.assert(
      fc.property(anyCase, ({ source, text, ignoreCase, multiline }) => {
        const pattern = compilePattern(source, { ignoreCase, multiline, checkTime });
        const { index, entries } = createIndex([text, 'neither']);
        const row = entries[0]?.row ?? 0;
        const whole = index.useText(row);
        if (!whole) throw new Error('Its text is kept.');
        const filter = index.createFilter(pattern.plans);
        const isMatch = hasMatch(pattern, whole);
        if (isMatch) expect(filter.mayMatch(row)).toBe(true);
        const passages = filter.passagesOf(row);
        if (!passages) return;
        const parts = { ...whole, passages };
        expect(hasMatch(pattern, parts)).toBe(isMatch);
        expect(countMatches(pattern, parts)).toBe(countMatches(pattern, whole));
        const options = { before: 1, after: 0, onlyMatching: false, maxRows: Infinity };
        expect(findShownLines(pattern, parts, options)).toEqual(
          findShownLines(pattern, whole, options),
        );
      }),
      { numRuns: runsHere(400) },
    );
  });

  const lines = (word: string) => `${word} and so on\n`.repeat(1200);

  it('are searched where all of a pattern may be, and not where a part of it is', () => {
    const words = ['first', 'neither', 'second', 'first, second', 'third'];
    const text = words.map(lines).join('');
    const { index, entries } = createIndex([text]);
    const row = entries[0]?.row ?? 0;
    const { plans } = compilePattern('first.*second', { ignoreCase: false, multiline: false });
    const found = index.createFilter(plans).passagesOf(row) ?? [];
    const parts = found.map(({ start, end }) => text.slice(start, end));
    expect(parts.join('')).toContain(lines('first, second'));
    expect(parts.join('').length).toBeLessThan(text.length * 0.8);
    expect(found[0]?.firstLine).toBe(text.slice(0, found[0]?.start).split('\n').length);
  });

  it('match across the places where they were divided', () => {
    const text = `${'x'.repeat(16_384)}\n${lines('second')}`;
    const known = createIndex([text, 'neither']);
    const options = { ignoreCase: false, multiline: true };
    expect(candidates('x\\nse', known, options)).toEqual([1]);
  });
});

describe('kept texts', () => {
  const texts = ['a'.repeat(100), 'b'.repeat(100), 'c'.repeat(100)];
  const kept = (index: ContentIndex, entries: readonly ContentEntry[]) =>
    entries.map(({ row }) => index.hasText(row));

  it('stay within their budget: the one used longest ago goes', () => {
    const { index, entries } = createIndex(texts.slice(0, 2), { maxTextBytes: 220 });
    expect(kept(index, entries)).toEqual([true, true]);
    const [first] = entries;
    index.startSearch();
    index.useText(first?.row ?? 0);
    index.startSearch();
    const third = index.entryOf(3);
    index.take(third, bytesOf('c'.repeat(50)));
    expect(kept(index, [...entries, third])).toEqual([true, false, true]);
    expect(index.bytes.texts).toBe(150);
  });

  it('are not dropped for what comes later in the same search', () => {
    const index = new ContentIndex({ maxTextBytes: 220 });
    index.startSearch();
    const entries = texts.map((text, at) => {
      const entry = index.entryOf(at + 1);
      index.useText(entry.row);
      index.take(entry, bytesOf(text));
      return entry;
    });
    expect(kept(index, entries)).toEqual([true, true, false]);
  });

  it('are told when they are kept, those of one batch together', async () => {
    const told: unknown[] = [];
    const { index, entries } = createIndex(texts, { onKept: (kept) => told.push(kept) });
    await Promise.resolve();
    expect(told).toEqual([{ contents: [1, 2, 3], bytes: 300 }]);
    for (const entry of entries) index.take(entry, bytesOf('kept already'));
    await Promise.resolve();
    expect(told).toHaveLength(1);
  });

  it('are told when they are dropped for others, as that leaves more of the budget', async () => {
    const told: unknown[] = [];
    const { index } = createIndex(texts, { onKept: (kept) => told.push(kept) });
    await Promise.resolve();
    index.yieldTexts({ contents: [2, 3], bytes: 200, realms: 2 });
    index.yieldTexts({ contents: [2, 3], bytes: 200, realms: 2 });
    await Promise.resolve();
    expect(told.slice(1)).toEqual([{ contents: [], bytes: 100 }]);
  });

  it('are dropped where another realm has come to keep them', () => {
    const { index, entries } = createIndex(texts);
    index.yieldTexts({ contents: [2, 17], bytes: 100, realms: 2 });
    expect(kept(index, entries)).toEqual([true, false, true]);
    expect(index.bytes.texts).toBe(200);
  });

  it('have as much of the budget as others leave, and never less than an equal part', () => {
    const { index, entries } = createIndex(texts, { maxTextBytes: 300 });
    const yieldTo = (bytes: number) => {
      index.yieldTexts({ contents: [], bytes, realms: 2 });
      return kept(index, entries);
    };
    expect(yieldTo(0)).toEqual([true, true, true]);
    expect(yieldTo(50)).toEqual([false, true, true]);
    expect(yieldTo(300)).toEqual([false, false, true]);
    // The other realm has ended.
    yieldTo(0);
    entries.forEach((entry, at) => index.take(entry, bytesOf(texts[at] ?? '')));
    expect(kept(index, entries)).toEqual([true, true, true]);
  });

  it('are not kept of a draft: once they are committed, they are other contents', () => {
    const index = new ContentIndex();
    const entry = index.entryOf(bytesOf('a draft'));
    index.take(entry, bytesOf('a draft'));
    expect([index.hasText(entry.row), index.bytes.texts]).toEqual([false, 0]);
  });

  it('go with the contents that nobody has any more, and so do their trigrams', () => {
    const known = createIndex(['a needle', 'some thread', 'needle and thread']);
    known.index.retain(new Map([[3, 17]]));
    expect(known.index.size).toBe(1);
    expect(known.index.bytes.texts).toBe(17);
    expect(kept(known.index, known.entries)).toEqual([false, false, true]);
    // Lists may still name those that are gone: nothing is known of them.
    expect(candidates('needle', known)).toEqual([1, 2, 3]);
    expect(candidates('absent', known)).toEqual([1, 2]);
  });

  it('leave their trigrams behind until they are more than a quarter', () => {
    // All of one length, in four groups.
    const known = createIndex(Array.from({ length: 128 }, () => 'a needle'));
    const { index, entries } = known;
    const before = index.bytes.bitmaps;
    const retainFrom = (first: number) =>
      index.retain(new Map(entries.slice(first).map(({ content }) => [Number(content), 8])));
    retainFrom(32);
    expect([index.size, index.unread, index.bytes.bitmaps]).toEqual([96, 0, before]);
    // Nothing is known of the others.
    expect(candidates('thread', known).length).toBe(32);
    retainFrom(33);
    expect([index.size, index.unread, index.bytes.bitmaps]).toEqual([95, 0, before * 0.75]);
    expect(candidates('thread', known).length).toBe(33);
    expect(candidates('needle', known).length).toBe(128);
  });

  const plansOf = (pattern: string) =>
    compilePattern(pattern, { ignoreCase: false, multiline: false, checkTime }).plans;

  it('are known to a search that began before all else was forgotten', () => {
    const { index, entries } = createIndex(['nothing of it', 'something else']);
    const filter = index.createFilter(plansOf('needle'));
    for (const { row } of entries) filter.mayMatch(row);
    index.retain(new Map([[2, 14]]));
    const entry = index.entryOf(3);
    // As many passages as before, in another table.
    index.take(entry, bytesOf('a needle in i'));
    expect(filter.mayMatch(entry.row)).toBe(true);
  });

  it('are known to a search that waits while another one finds thousands more', () => {
    const { index } = createIndex(['x'.repeat(40_000)]);
    const entry = index.entryOf(2);
    const filter = index.createFilter(plansOf('needle'));
    for (let id = 10; id < 5_000; id += 1) index.entryOf(id);
    index.take(entry, bytesOf('a needle in it'));
    expect(filter.mayMatch(entry.row)).toBe(true);
  });

  it('are known to a search that has asked about others of their length before', () => {
    const { index, entries } = createIndex(['nothing of it', 'something else']);
    const filter = index.createFilter(plansOf('needle'));
    expect(entries.map(({ row }) => filter.mayMatch(row))).toEqual([false, false]);
    const entry = index.entryOf(3);
    index.take(entry, bytesOf('a needle in i'));
    expect(filter.mayMatch(entry.row)).toBe(true);
  });

  it('are known to a search that waits while what is gone is forgotten', () => {
    const { index, entries } = createIndex(['x'.repeat(40_000), 'a needle in it']);
    const row = entries[1]?.row ?? 0;
    const filter = index.createFilter(plansOf('needle'));
    expect(filter.mayMatch(row)).toBe(true);
    index.retain(new Map([[2, 17]]));
    expect(filter.mayMatch(row)).toBe(true);
  });

  it('are not counted as unread where a search still reads what was forgotten', () => {
    const index = new ContentIndex();
    const gone = [index.entryOf(1), index.entryOf(new Uint8Array([97]))];
    index.retain(new Map());
    expect(index.unread).toBe(0);
    for (const entry of gone) index.take(entry, bytesOf('a needle'));
    expect(index.unread).toBe(0);
    index.entryOf(2);
    expect(index.unread).toBe(1);
  });

  it('are all forgotten, with the rest', () => {
    const { index } = createIndex(texts);
    index.retain(new Map());
    expect([index.size, index.bytes.texts, index.bytes.bitmaps, index.unread]).toEqual([
      0, 0, 0, 0,
    ]);
    expect(index.hasText(index.entryOf(1).row)).toBe(false);
  });
});
