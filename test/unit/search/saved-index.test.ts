// The search index as bytes: what another one has of it afterwards, and what is refused.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ContentId } from '../../../src/core/change-set.ts';
import { checksum } from '../../../src/core/hashes/checksum.ts';
import { ContentIndex, type KnownContents } from '../../../src/search/index/content-index.ts';
import { binaryRow } from '../../../src/search/index/content-tables.ts';
import { compilePattern } from '../../../src/search/pattern.ts';
import { decodeIndex, encodeIndex } from '../../../src/search/index/saved-index.ts';
import type { BitsPerTrigram } from '../../../src/search/index/trigrams.ts';
import { anyAsciiText, anyPattern, anyText } from '../../support/search/random-patterns.ts';

const { signal } = new AbortController();

const toIds = (contentIds: readonly ContentId[]) => new Map(contentIds.map((id) => [id, 0]));

/** Binary, UTF-16, not UTF-8, and so long that it has passages, beside ordinary ones. */
const oddContents: readonly Uint8Array[] = [
  new TextEncoder().encode('export const TIDE = 1;\n'),
  new TextEncoder().encode('größe 大\n'),
  Uint8Array.of(0x41, 0, 0x42),
  Uint8Array.of(0xff, 0xfe, 0x74, 0, 0x69, 0, 0x64, 0, 0x65, 0),
  Uint8Array.of(0x61, 0xff, 0x62, 0x63),
  new TextEncoder().encode('a line of some length, and one more\n'.repeat(2000)),
  new Uint8Array(0),
  // Every byte of ASCII but NUL.
  Uint8Array.from({ length: 500 }, (_, at) => 1 + ((at * 37) % 127)),
];

/** Numbered from 1. */
function createIndex(contents: readonly Uint8Array[], bitsPerTrigram: BitsPerTrigram = 8) {
  const index = new ContentIndex({ bitsPerTrigram });
  contents.forEach((bytes, at) => index.take(index.entryOf(at + 1), bytes));
  return { index, all: toIds(contents.map((_bytes, at) => at + 1)) };
}

async function saved(index: ContentIndex, live: ReadonlyMap<ContentId, unknown>) {
  return encodeIndex(await index.knownOf(live), index.bitsPerTrigram);
}

async function copyIndex(index: ContentIndex, live: ReadonlyMap<ContentId, unknown>) {
  const { bitsPerTrigram } = index;
  const copy = new ContentIndex({ bitsPerTrigram });
  await copy.adopt(await decodeIndex(await saved(index, live), bitsPerTrigram, signal), signal);
  return copy;
}

/** What an index says of each of so many contents for a pattern. */
function verdictsOf(index: ContentIndex, count: number, pattern: string, multiline = false) {
  const options = { ignoreCase: false, multiline, checkTime: () => {} };
  const { plans } = compilePattern(pattern, options);
  const entries = Array.from({ length: count }, (_, at) => index.entryOf(at + 1));
  const filter = index.createFilter(plans);
  return entries.map((entry) => [
    index.kindOf(entry),
    filter.mayMatch(entry.row),
    filter.mayMatch(entry.row) && filter.passagesOf(entry.row),
  ]);
}

describe('a saved index', () => {
  it('says of each content what the one says that was saved', async () => {
    const anyCase = fc.record({
      texts: fc.array(fc.oneof(anyText, anyAsciiText), { minLength: 1, maxLength: 8 }),
      patterns: fc.array(anyPattern, { minLength: 1, maxLength: 5 }),
      bits: fc.constantFrom<BitsPerTrigram[]>(4, 8),
      multiline: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(anyCase, async ({ texts, patterns, bits, multiline }) => {
        const own = texts.map((text) => new TextEncoder().encode(text));
        const contents = [...oddContents, ...own];
        const { index, all } = createIndex(contents, bits);
        const copy = await copyIndex(index, all);
        expect([copy.unread, copy.learned]).toEqual([0, index.learned]);
        expect(await saved(copy, all)).toEqual(await saved(index, all));
        for (const pattern of patterns) {
          expect(verdictsOf(copy, contents.length, pattern, multiline)).toEqual(
            verdictsOf(index, contents.length, pattern, multiline),
          );
        }
      }),
      { numRuns: 20 },
    );
  });

  it('tells nothing of contents that are gone, nor of those that nobody has read', async () => {
    const { index } = createIndex(oddContents);
    index.entryOf(100);
    const copy = await copyIndex(index, toIds([1, 3, 100]));
    expect(copy.size).toBe(2);
    expect(copy.kindOf(copy.entryOf(3))).toBe('binary');
    expect(copy.kindOf(copy.entryOf(2))).toBe('new');
    expect(copy.kindOf(copy.entryOf(100))).toBe('new');
  });

  it('changes nothing of what an index has learned by itself', async () => {
    const { index, all } = createIndex(oddContents);
    const { index: other } = createIndex([new TextEncoder().encode('other')]);
    await other.adopt(await index.knownOf(all), signal);
    expect(verdictsOf(other, 1, 'other')).toEqual([['text', true, undefined]]);
    expect(verdictsOf(other, 1, 'TIDE')).toEqual([['text', false, false]]);
  });

  it('has all that is left in the index when some was forgotten, and nothing else', async () => {
    const { index, all } = createIndex(oddContents);
    const { index: fresh } = createIndex([]);
    const left = toIds([2, 4, 6, 8]);
    for (const contentId of left.keys()) {
      fresh.take(fresh.entryOf(contentId), oddContents[contentId - 1] ?? new Uint8Array());
    }
    expect(await saved(index, left)).toEqual(await saved(fresh, all));
    index.retain(left);
    expect(await saved(index, all)).toEqual(await saved(fresh, all));
  });

  /** More than is taken in at once. */
  const manyTexts = Array.from({ length: 5000 }, (_, at) =>
    new TextEncoder().encode(`text ${at.toString(36)}`),
  );

  it('is right where an index forgets contents while it takes this one in', async () => {
    const { index, all } = createIndex(manyTexts);
    const copy = new ContentIndex();
    for (let id = 6000; id < 9000; id += 1) copy.take(copy.entryOf(id), Uint8Array.of(1, 2, 3));
    const adopting = copy.adopt(await index.knownOf(all), signal);
    const left = toIds([...all.keys()].filter((id) => id !== 17));
    copy.retain(left);
    await adopting;
    expect(await saved(copy, left)).toEqual(await saved(index, left));
  });

  it('is right where an index learns contents while it takes this one in', async () => {
    const { index, all } = createIndex(manyTexts);
    const copy = new ContentIndex();
    const adopting = copy.adopt(await index.knownOf(all), signal);
    const entry = copy.entryOf(5000);
    copy.take(entry, manyTexts[4999] ?? new Uint8Array());
    await adopting;
    expect([copy.unread, copy.size, copy.learned]).toEqual([0, 5000, index.learned]);
    expect(verdictsOf(copy, 5000, 'text')).toEqual(verdictsOf(index, 5000, 'text'));
    expect(verdictsOf(copy, 5000, 'fext')).toEqual(verdictsOf(index, 5000, 'fext'));
  });

  it('is taken in by slices, between which an abort is heard', async () => {
    const count = 100_000;
    const none = new Uint32Array(0);
    const known = {
      contentIds: Float64Array.from({ length: count }, (_, at) => at + 1),
      kinds: new Uint8Array(count).fill(binaryRow),
      passageCounts: new Uint32Array(count),
      places: none,
      ends: none,
      firstLines: none,
      groups: [],
    };
    const controller = new AbortController();
    let turns = 0;
    // As an abort comes to a worker. A timer may wait until all of the work is done: workerd's do.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      turns += 1;
      if (turns < 3) port2.postMessage(null);
      else {
        port1.close();
        controller.abort();
      }
    };
    const index = new ContentIndex();
    const adopting = index.adopt(known, controller.signal);
    port2.postMessage(null);
    await expect(adopting).rejects.toMatchObject({ code: 'aborted' });
    expect(index.size).toBeLessThan(count);
    // What was taken in until then is right.
    expect(index.kindOf(index.entryOf(1))).toBe('binary');
    expect(index.kindOf(index.entryOf(count))).toBe('new');
  });

  it.each<[string, (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>, BitsPerTrigram]>([
    ['damaged', (bytes) => bytes.with(bytes.length >> 1, 99), 8],
    ['damaged', (bytes) => bytes.with(4, 99), 8],
    ['cut short', (bytes) => bytes.slice(0, -4), 8],
    ['cut short', (bytes) => bytes.slice(0, 10), 8],
    ['cut short', () => new Uint8Array(0), 8],
    ['of another version', (bytes) => bytes.with(0, 99), 8],
    ['other bitmaps', (bytes) => bytes, 4],
  ])('is refused when it is %s', async (what, change, bits) => {
    const { index, all } = createIndex(oddContents);
    const bytes = change(await saved(index, all));
    await expect(decodeIndex(bytes, bits, signal)).rejects.toMatchObject({
      code: 'EIO',
      message: expect.stringContaining(what),
    });
  });

  // Their checksum is right: whoever wrote them went wrong before.
  it.each<[string, (known: KnownContents) => KnownContents]>([
    ['a passage that no group has', (known) => ({ ...known, places: known.places.with(1, 9999) })],
    [
      'more passages of one content than there are of all',
      (known) => {
        return { ...known, passageCounts: known.passageCounts.with(0, 0xffffffff) };
      },
    ],
    [
      'bitmaps that are too short',
      (known) => {
        return { ...known, groups: known.groups.map((group) => ({ ...group, length: 64 })) };
      },
    ],
  ])('is refused with %s', async (_what, change) => {
    const { index, all } = createIndex(oddContents);
    const bytes = await encodeIndex(change(await index.knownOf(all)), 8);
    await expect(decodeIndex(bytes, 8, signal)).rejects.toMatchObject({
      code: 'EIO',
      message: expect.stringContaining('damaged'),
    });
  });

  // Where this fails, what is learned of a content has changed. Raise `format` in saved-index.ts,
  // or indexes that were saved before would make searches pass over what matches.
  it('is what it was when its format got its number', async () => {
    const { index, all } = createIndex(oddContents);
    const bytes = await saved(index, all);
    expect([bytes.length, checksum(bytes)]).toEqual([6824, 3_996_449_903]);
  });
});
