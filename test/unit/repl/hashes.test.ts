import { describe, expect, it } from 'vitest';
import { blockSize, hashNames, hashStep, type HashName } from '../../../src/repl/host/hashes.ts';

const toHex = (bytes: Uint8Array) =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** In steps of two blocks, and what is left. */
function hash(name: HashName, bytes: Uint8Array): string {
  const step = blockSize(name) * 2;
  let state: Uint8Array | undefined;
  let at = 0;
  for (; bytes.length - at > step; at += step) {
    state = hashStep(name, state, bytes.subarray(at, at + step));
  }
  return toHex(hashStep(name, state, bytes.subarray(at), bytes.length));
}

const platformNames: Partial<Record<HashName, string>> = {
  sha1: 'SHA-1',
  sha256: 'SHA-256',
  sha384: 'SHA-384',
  sha512: 'SHA-512',
};

describe('hashStep', () => {
  // Around the lengths at which padding takes a block more.
  const lengths = [0, 1, 3, 55, 56, 57, 63, 64, 65, 111, 112, 113, 127, 128, 129, 256, 1000];

  it.each(hashNames.filter((name) => platformNames[name]))(
    "makes the platform's %s of messages of any length",
    async (name) => {
      for (const length of lengths) {
        const bytes = crypto.getRandomValues(new Uint8Array(length));
        const wanted = await crypto.subtle.digest(platformNames[name]!, bytes);
        expect(hash(name, bytes), `${length} bytes`).toBe(toHex(new Uint8Array(wanted)));
      }
    },
  );

  // The suite of RFC 1321, appendix A.5.
  it.each([
    ['', 'd41d8cd98f00b204e9800998ecf8427e'],
    ['a', '0cc175b9c0f1b6a831c399e269772661'],
    ['abc', '900150983cd24fb0d6963f7d28e17f72'],
    ['message digest', 'f96b697d7cb7938d525a2f31aaf161d0'],
    ['abcdefghijklmnopqrstuvwxyz', 'c3fcd3d76192e4007dfb496cca67e13b'],
    [
      'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
      'd174ab98d277d9f5a5611c2c9f419d9f',
    ],
    ['1234567890'.repeat(8), '57edf4a22be3c955ac49da2e2107b67a'],
  ])('makes the MD5 of %j', (text, digest) => {
    expect(hash('md5', new TextEncoder().encode(text))).toBe(digest);
  });
});
