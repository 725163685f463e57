import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checksum } from '../../../src/core/hashes/checksum.ts';
import { fromPlainPlaces, toPlainPlaces } from '../../../src/workspace/log/content-places.ts';
import {
  decodeBlock,
  encodeBlock,
  readBlockHeader,
} from '../../../src/workspace/log/json-block.ts';
import {
  imageName,
  parseImageName,
  parseSegmentName,
  segmentName,
} from '../../../src/workspace/log/file-name.ts';
import {
  decodeRecord,
  encodeMoves,
  encodeRecord,
  encodeStreamRecord,
  recordByteLength,
} from '../../../src/workspace/log/record-codec.ts';
import type { WorkspaceRecord } from '../../../src/workspace/state/record.ts';

const record: WorkspaceRecord = {
  seq: 7,
  author: { kind: 'agent', callId: 'ü' },
  root: 'branch',
  changes: [{ type: 'mkdir', path: '/d', mode: 0o755, mtimeMs: 3.5 }],
  origin: { client: 'tab', number: 3 },
};

/** The state that a record follows, where only commits came before. */
const after = (seq: number) => ({ seq, revision: seq });

const anyContents = fc
  .array(fc.uint8Array({ maxLength: 40 }), { maxLength: 4 })
  .map((all) => all.map((bytes, at) => ({ contentId: at + 11, bytes })));

/** Calls with each copy in which one bit is another. */
function withEachBit(bytes: Uint8Array, check: (damaged: Uint8Array) => void): void {
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const damaged = bytes.slice();
    damaged[bit >>> 3] = (damaged[bit >>> 3] ?? 0) ^ (1 << (bit & 7));
    check(damaged);
  }
}

describe('a record in bytes', () => {
  it('is decoded as it was, with its contents where they stand', () => {
    fc.assert(
      fc.property(anyContents, fc.boolean(), fc.nat(9), (contents, isMove, shift) => {
        const { bytes } = isMove ? encodeMoves(7, contents) : encodeRecord(record, contents);
        // Anywhere in a larger buffer, and with others behind it.
        const buffer = new Uint8Array(shift + bytes.length + 50);
        buffer.set(bytes, shift);
        const decoded = decodeRecord(buffer.subarray(shift), after(isMove ? 7 : 6));
        expect([decoded?.record, decoded?.byteLength]).toEqual([
          isMove ? undefined : record,
          bytes.length,
        ]);
        const found = decoded?.contents.map(({ contentId, offset, length, checksum: sum }) => {
          const content = bytes.slice(offset, offset + length);
          expect(checksum(content)).toBe(sum);
          return { contentId, bytes: content };
        });
        expect(found).toEqual(contents);
        expect([recordByteLength(bytes), bytes.length % 4]).toEqual([bytes.length, 0]);
      }),
    );
  });

  it('is none with another number, cut, or with any bit flipped', () => {
    const { bytes } = encodeRecord(record, [{ contentId: 1, bytes: new Uint8Array([1, 2, 3]) }]);
    expect([decodeRecord(bytes, after(5)), decodeRecord(bytes, after(7))]).toEqual([null, null]);
    for (let length = 0; length < bytes.length; length += 1) {
      expect(decodeRecord(bytes.slice(0, length), after(6))).toBe(null);
    }
    withEachBit(bytes, (damaged) => expect(decodeRecord(damaged, after(6))).toBe(null));
    expect(decodeRecord(new Uint8Array(64), after(0))).toBe(null);
  });
});

describe('a record of a stream in bytes', () => {
  it('bears the number of the commit before it, and follows one revision only', () => {
    const stream = { type: 'append', stream: 's', at: 2, entries: [{ json: '"ü"' }] } as const;
    const appended = { revision: 9, stream };
    const content = new Uint8Array([1, 2, 3]);
    const { bytes } = encodeStreamRecord(6, appended, [{ contentId: 4, bytes: content }]);
    const decoded = decodeRecord(bytes, { seq: 6, revision: 8 });
    expect([decoded?.record, decoded?.contents[0]?.length]).toEqual([appended, 3]);
    for (const [seq, revision] of [
      [5, 8],
      [7, 8],
      [6, 7],
      [6, 9],
    ] as const) {
      expect(decodeRecord(bytes, { seq, revision })).toBe(null);
    }
    withEachBit(bytes, (damaged) =>
      expect(decodeRecord(damaged, { seq: 6, revision: 8 })).toBe(null),
    );
  });
});

describe('a block of JSON', () => {
  const value = { live: [{ name: 'ü', length: 5 }], epoch: 3 };

  it('is decoded as it was, and none when it is cut or any bit behind its prelude flips', () => {
    const bytes = encodeBlock('RKPLIMG\n', 99, value);
    expect(decodeBlock(bytes)).toEqual(value);
    expect(readBlockHeader(bytes)).toEqual({ byteLength: bytes.length, number: 99 });
    expect(decodeBlock(bytes.slice(0, -1))).toBe(null);
    withEachBit(bytes.slice(16), (tail) => {
      const damaged = bytes.slice();
      damaged.set(tail, 16);
      expect(decodeBlock(damaged)).toBe(null);
    });
  });
});

describe('the checksum', () => {
  it('is the same wherever the bytes stand, and another for any other length of zeros', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 30 }), fc.nat(7), (bytes, shift) => {
        const buffer = new Uint8Array(shift + bytes.length);
        buffer.set(bytes, shift);
        expect(checksum(buffer.subarray(shift))).toBe(checksum(bytes));
      }),
    );
    const sums = Array.from({ length: 40 }, (_, length) => checksum(new Uint8Array(length)));
    expect(new Set(sums).size).toBe(40);
  });
});

describe('names and places', () => {
  it('are read as they were written', () => {
    expect(parseSegmentName(segmentName({ epoch: 12, index: 3 }))).toEqual({ epoch: 12, index: 3 });
    expect(parseImageName(imageName(12, 1))).toEqual({ epoch: 12, slot: 1 });
    expect([parseSegmentName('log'), parseImageName('image-2')]).toEqual([null, null]);
    const places = new Map([
      [4, { segment: 'a', offset: 9, length: 2, checksum: 5 }],
      [5, { segment: 'b', offset: 1, length: 0, checksum: 6 }],
      [6, { segment: 'a', offset: 0, length: 9, checksum: 7 }],
    ]);
    expect(fromPlainPlaces(toPlainPlaces(places, places.keys()))).toEqual(places);
    expect(fromPlainPlaces(toPlainPlaces(places, [5, 99])).size).toBe(1);
  });
});
