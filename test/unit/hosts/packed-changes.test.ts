// Change sets as blocks of bytes: what is unpacked is what was packed, and a block that lies is refused.
import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import type { Change } from '../../../src/core/change-set.ts';
import { packChanges, unpackChanges } from '../../../src/hosts/browser/wire/packed-changes.ts';

const path = fc.string({ unit: 'grapheme' });
const about = {
  path,
  baseVersion: fc.nat(),
  mode: fc.nat(0o777),
  mtimeMs: fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 }),
};

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    ...about,
    type: fc.constant('write' as const),
    content: fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.record({ contentId: fc.nat() })),
  }),
  fc.record({ ...about, type: fc.constant('mkdir' as const) }),
  fc.record({
    path,
    baseVersion: fc.nat(),
    type: fc.constant('symlink' as const),
    target: path,
    mtimeMs: fc.nat(),
  }),
  fc.record({ path, baseVersion: fc.nat(), type: fc.constant('remove' as const) }),
);

describe('packChanges', () => {
  it('gives back what was packed', () => {
    const property = fc.property(fc.nat(), fc.array(change), (baseSeq, changes) => {
      const set = { baseSeq, changes };
      expect(unpackChanges(packChanges(set))).toEqual(set);
    });
    fc.assert(property, { numRuns: 100 });
  });

  it('refuses a block that lies of its lengths, or holds no change set', () => {
    const content = new Uint8Array([1, 2, 3]);
    const write = { type: 'write', path: '/a', baseVersion: 0, content, mode: 0o644, mtimeMs: 0 };
    const packed = packChanges({ baseSeq: 1, changes: [write as Change] });
    const refused = { code: 'invalid-input' };
    for (const length of [0, 3, 10, packed.length - 1]) {
      expect(() => unpackChanges(packed.subarray(0, length))).toThrow(
        expect.objectContaining(refused),
      );
    }
    const told = (text: string) => {
      const bytes = new Uint8Array(4 + text.length);
      new DataView(bytes.buffer).setUint32(0, text.length, true);
      bytes.set(new TextEncoder().encode(text), 4);
      return bytes;
    };
    const negative = '[{"type":"write","content":{"length":-1}}]';
    for (const text of ['x', 'null', '{"changes":[1]}', `{"changes":${negative}}`]) {
      expect(() => unpackChanges(told(text))).toThrow(expect.objectContaining(refused));
    }
  });
});
