// Bitmaps that lie crosswise: each has its own bits and no other's, however its passage came to the table.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PassageTable } from '../../../src/search/index/passage-table.ts';
import {
  byteClasses,
  placeOf,
  toTrigram,
  toTrigramHash,
  TrigramCollector,
  type BitsPerTrigram,
} from '../../../src/search/index/trigrams.ts';
import { createRandom } from '../../support/random.ts';

const anyBits = fc.constantFrom<BitsPerTrigram[]>(4, 8);

/** Few bytes, and so many that the bitmap is a long one. */
const anyRow = fc
  .tuple(fc.nat(), fc.oneof(fc.nat({ max: 60 }), fc.integer({ min: 1000, max: 4000 })))
  .map(([seed, length]) => {
    const random = createRandom(seed);
    return Uint8Array.from({ length }, () => random.below(128));
  });

function addTo(table: PassageTable, rows: readonly Uint8Array[], bits: BitsPerTrigram): number[] {
  const collector = new TrigramCollector();
  return rows.map((row, at) => {
    collector.collect(row);
    return table.add({ start: 0, end: row.length, firstLine: at + 1 }, collector, bits);
  });
}

/** The places of a bitmap that are set, and those that are to be. */
function placesOf(table: PassageTable, number: number, row: Uint8Array) {
  const { places, groups } = table.toPlain();
  const length = groups[(places[number] ?? 0) >>> 5]?.length ?? 0;
  const found: number[] = [];
  for (let at = 0; at < length; at += 1) {
    // The first trigram that has this place.
    if (table.mayHold(number, Math.ceil((at * 2 ** 18) / length))) found.push(at);
  }
  const classes = [...row].map((byte) => byteClasses[byte] ?? 0);
  const wanted = new Set<number>();
  for (let at = 2; at < classes.length; at += 1) {
    const [first = 0, second = 0, third = 0] = classes.slice(at - 2, at + 1);
    wanted.add(placeOf(toTrigramHash(toTrigram(first, second, third)), length));
  }
  return { found, wanted: [...wanted].sort((left, right) => left - right) };
}

describe('a table of passages', () => {
  it('has the bits of each that was added, copied, or taken over with its group', () => {
    const anyRows = fc.array(anyRow, { maxLength: 12 });
    const anyCase = fc.record({
      own: anyRows,
      others: fc.array(fc.tuple(anyRow, fc.boolean()), { maxLength: 40 }),
      later: anyRows,
      bits: anyBits,
    });
    fc.assert(
      fc.property(anyCase, ({ own, others, later, bits }) => {
        const other = new PassageTable();
        const otherRows = others.map(([row]) => row);
        const numbers = addTo(other, otherRows, bits);
        const kept = numbers.filter((_number, at) => others[at]?.[1]);
        const copy = new PassageTable();
        for (const number of kept) copy.addFrom(other, number);

        const table = new PassageTable();
        addTo(table, own, bits);
        expect(table.addAll(copy.toPlain())).toBe(own.length);
        addTo(table, later, bits);
        const rows = [
          ...own,
          ...kept.map((number) => otherRows[number] ?? new Uint8Array()),
          ...later,
        ];
        expect(table.size).toBe(rows.length);
        for (const [number, row] of rows.entries()) {
          const { found, wanted } = placesOf(table, number, row);
          expect(found).toEqual(wanted);
          expect(table.passageAt(number, number).end).toBe(row.length);
        }
        const bytes = table.toPlain().groups.reduce((sum, { words }) => sum + words.byteLength, 0);
        expect(table.bytes).toBe(bytes);
      }),
      { numRuns: 30 },
    );
  });
});
