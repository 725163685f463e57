// Files as rows of a database: whatever is appended, in whatever pieces, can be read by any range.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fromRows,
  tailOf,
  toAppendedRows,
  type ChunkRow,
} from '../../../src/workspace/drivers/chunk-rows.ts';

const sizes = { shortBytes: 8, maxBytes: 20 };

/** What a database would hold after these appends. */
function store(appends: readonly Uint8Array[]): ChunkRow[] {
  const rows = new Map<number, ChunkRow>();
  let length = 0;
  let tail: Uint8Array = new Uint8Array(0);
  for (const bytes of appends) {
    const put = toAppendedRows(length, tail, bytes, sizes);
    for (const row of put) rows.set(row.start, row);
    if (put.length > 0) tail = tailOf(put, sizes);
    length += bytes.length;
  }
  return [...rows.values()].sort((one, other) => one.start - other.start);
}

function concatenate(parts: readonly Uint8Array[]): number[] {
  return parts.flatMap((part) => [...part]);
}

const appends = fc.array(fc.uint8Array({ maxLength: 70 }), { maxLength: 30 });

describe('chunk rows', () => {
  it('hold what was appended in order, and few of them are short', () => {
    fc.assert(
      fc.property(appends, (parts) => {
        const rows = store(parts);
        expect(concatenate(rows.map((row) => row.bytes))).toEqual(concatenate(parts));
        let end = 0;
        for (const { start, bytes } of rows) {
          expect([start, bytes.length <= sizes.maxBytes]).toEqual([end, true]);
          expect(bytes.buffer.byteLength).toBe(bytes.length);
          end += bytes.length;
        }
        const short = rows.slice(0, -1).filter(({ bytes }) => bytes.length < sizes.shortBytes);
        expect(short).toEqual([]);
      }),
    );
  });

  it('give any range back, and nothing where a row in it is missing', () => {
    fc.assert(
      fc.property(appends, fc.nat(), fc.nat(), fc.nat(), (parts, from, to, gone) => {
        const rows = store(parts);
        const whole = concatenate(parts);
        const offset = from % (whole.length + 1);
        const length = to % (whole.length - offset + 1);
        const held = rows.filter(
          ({ start, bytes }) => start + bytes.length > offset && start < offset + length,
        );
        const wanted = whole.slice(offset, offset + length);
        expect([...(fromRows(held, offset, length) ?? [-1])]).toEqual(wanted);
        if (length === 0) return;
        const without = held.toSpliced(gone % held.length, 1);
        expect(fromRows(without, offset, length)).toBeNull();
      }),
    );
  });
});
