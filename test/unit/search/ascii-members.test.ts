import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asciiMembers } from '../../../src/search/regex/ascii-members.ts';
import { emitSet } from '../../../src/search/regex/emit-set.ts';
import type { CharacterSet } from '../../../src/search/regex/regex-node.ts';

// With the two letters beyond ASCII that are cases of `k` and `s`, and their neighbours.
const anyCodePoint = fc.oneof(fc.integer({ min: 0, max: 0x90 }), fc.constantFrom(0x17f, 0x212a));
const anyRange = fc
  .tuple(anyCodePoint, anyCodePoint)
  .map(([a, b]): CharacterSet => ({ kind: 'range', from: Math.min(a, b), to: Math.max(a, b) }));
const anyProperty = fc
  .constantFrom('Lu', 'Nd', 'White_Space', 'Script=Greek')
  .map((name): CharacterSet => ({ kind: 'property', name }));
const { set: anySet } = fc.letrec<{ set: CharacterSet }>((tie) => ({
  set: fc.oneof(
    { depthSize: 'small' },
    anyRange,
    anyProperty,
    fc.record({
      kind: fc.constant('union' as const),
      sets: fc.array(tie('set'), { maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant('not' as const), set: tie('set') }),
    fc.record({
      kind: fc.constantFrom('intersection' as const, 'difference' as const),
      left: tie('set'),
      right: tie('set'),
    }),
  ),
}));

describe('the ASCII members of a set', () => {
  it('are those that an engine finds, with and without regard to case', () => {
    fc.assert(
      fc.property(anySet, fc.boolean(), (set, ignoreCase) => {
        const member = new RegExp(`^${emitSet(set)}$`, ignoreCase ? 'iv' : 'v');
        const codes = Array.from({ length: 128 }, (_, code) => code);
        const expected = codes.filter((code) => member.test(String.fromCharCode(code)));
        expect(asciiMembers(set, ignoreCase)).toEqual(expected);
        // What is kept of it says the same.
        expect(asciiMembers(set, ignoreCase)).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });
});
