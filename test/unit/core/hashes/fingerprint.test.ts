import { describe, expect, it } from 'vitest';
import { fingerprint } from '../../../../src/core/hashes/fingerprint.ts';

describe('fingerprint', () => {
  it('is the same for the same text, in 32 digits', () => {
    expect(fingerprint('a')).toBe(fingerprint('a'));
    expect(fingerprint('a')).toMatch(/^[\da-f]{32}$/u);
  });

  // Exported sessions hold such hashes of their requests: they must come out as they did.
  it('is what it was, for texts of each length beside a whole block', () => {
    expect(['', 'a', 'abcdefg', 'abcdefgh', 'abcdefghi\ud800'].map(fingerprint)).toEqual([
      '00000000000000000000000000000000',
      '05236d8a449f4b0b6d72483d3a4d476c',
      '4c5b0dda7d2ba970216dc720ea3ade29',
      '6c3576558df898a1a76d230d42147114',
      '6366bdac707884d2a1a8180755860b2d',
    ]);
  });

  it('tells apart what differs in one place, in order or in length alone', () => {
    const base = 'The quick brown fox jumps over the lazy dog. '.repeat(20);
    const texts = [
      base,
      ...Array.from(base, (_, at) => `${base.slice(0, at)}#${base.slice(at + 1)}`),
      ...Array.from({ length: 40 }, (_, length) => '\0'.repeat(length)),
      'ab',
      'ba',
      '\ud800',
      '\udc00',
    ];
    expect(new Set(texts.map(fingerprint)).size).toBe(texts.length);
  });
});
