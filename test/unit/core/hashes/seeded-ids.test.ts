import { describe, expect, it } from 'vitest';
import { deriveId, deriveSeed } from '../../../../src/core/hashes/seeded-ids.ts';
import { sha256 } from '../../../../src/core/hashes/sha256.ts';

const toHex = (bytes: Uint8Array) =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

describe('sha256', () => {
  // Around the lengths at which the padding takes a block more.
  it.each([0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 1000])(
    'makes what the platform makes of %i bytes',
    async (length) => {
      const bytes = crypto.getRandomValues(new Uint8Array(length));
      const wanted = await crypto.subtle.digest('SHA-256', bytes);
      expect(toHex(sha256(bytes))).toBe(toHex(new Uint8Array(wanted)));
    },
  );
});

describe('deriveId', () => {
  // The first bytes of SHA-256 of ["id","seed","message",1], with the version and the variant in it.
  it('makes ids that never change from one version of the package to the next', () => {
    expect(deriveId('seed', 'message', 1)).toBe('88591384-850f-8a5b-a6d9-e93fed2ae1dd');
    expect(deriveId('seed')).toBe('848ffb20-e9e1-86e5-aced-d8b1b403c22e');
  });

  it('has the form of a UUID of version 8', () => {
    for (let at = 0; at < 100; at += 1) {
      expect(deriveId('seed', at)).toMatch(
        /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
      );
    }
  });

  it('tells apart seeds, parts, and the same letters in other parts', () => {
    const ids = [
      deriveId('seed', 'message', 1),
      deriveId('seed', 'message', '1'),
      deriveId('seed', 'message1'),
      deriveId('seed', 'mess', 'age1'),
      deriveId('seed', 'message', 1, ''),
      deriveId('seed', 'message","1'),
      deriveId('seedm', 'essage', 1),
      // Half of a pair stands for no character.
      deriveId('seed', '\ud800'),
      deriveId('seed', '\ufffd'),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('deriveSeed', () => {
  it("gives each call a seed of its own, which isn't part of any id", () => {
    expect(deriveSeed('seed', 'toolu_1')).toBe('1d60e347b4d84a668f2922d28ebfac35');
    expect(deriveSeed('seed', 'toolu_2')).not.toBe(deriveSeed('seed', 'toolu_1'));
    expect(deriveId('seed', 'toolu_1').slice(0, 8)).not.toBe('1d60e347');
  });
});
