import { describe, expect, it } from 'vitest';
import { decodeLatin1, encodeLatin1 } from '../../../../src/core/bytes/latin1.ts';

describe('latin1', () => {
  it('has a character for each byte, in texts longer than a call takes arguments', () => {
    const bytes = new Uint8Array(300_000).map((_, at) => at);
    const text = decodeLatin1(bytes);
    expect(text).toHaveLength(bytes.length);
    expect(text.charCodeAt(255)).toBe(255);
    expect(encodeLatin1(text)).toEqual(bytes);
  });

  it('takes the lower byte of other characters', () => {
    expect(encodeLatin1('aĀ€')).toEqual(new Uint8Array([97, 0, 0xac]));
  });
});
