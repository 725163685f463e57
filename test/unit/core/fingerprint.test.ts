import { describe, expect, it } from 'vitest';
import { fingerprint } from '../../../src/core/fingerprint.ts';

describe('fingerprint', () => {
  it('is the same for the same text, in 32 digits', () => {
    expect(fingerprint('a')).toBe(fingerprint('a'));
    expect(fingerprint('a')).toMatch(/^[\da-f]{32}$/u);
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
