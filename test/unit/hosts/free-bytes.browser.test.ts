import { describe, expect, it } from 'vitest';
import { freeBytes } from '../../../src/hosts/browser/wire/free-bytes.ts';

describe('bytes that are freed', () => {
  it('are gone at once, with all of their buffer', () => {
    const whole = new Uint8Array(8);
    freeBytes(whole.subarray(2, 4));
    expect([whole.length, whole.buffer.byteLength]).toEqual([0, 0]);
  });

  it('may be freed before', () => {
    const bytes = new Uint8Array(8);
    freeBytes(bytes);
    expect(() => freeBytes(bytes)).not.toThrow();
  });
});
