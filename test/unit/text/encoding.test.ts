import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText, encodeText, isBinary, type TextFormat } from '../../../src/text/encoding.ts';

const formats: readonly TextFormat[] = [
  { encoding: 'utf-8', hasBom: false },
  { encoding: 'utf-8', hasBom: true },
  { encoding: 'utf-16le', hasBom: true },
  { encoding: 'utf-16be', hasBom: true },
];

describe('decodeText and encodeText', () => {
  it.each(formats)('give back text and format of $encoding, BOM: $hasBom', (format) => {
    const anyText = fc
      .string({ unit: 'binary' })
      // A text that begins with the mark itself, without one before it, can't be told apart.
      .filter((text) => format.hasBom || !text.startsWith('\ufeff'));
    fc.assert(
      fc.property(anyText, (text) => {
        expect(decodeText(encodeText(text, format))).toEqual({ text, format, isExact: true });
      }),
    );
  });

  it('give back the same bytes wherever the decoding was exact', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const { text, format, isExact } = decodeText(bytes);
        expect(encodeText(text, format).join() === bytes.join()).toBe(isExact);
      }),
    );
  });

  it('say that bytes of no encoding that can be told were not decoded exactly', () => {
    expect(decodeText(new Uint8Array([97, 0xff, 98]))).toEqual({
      text: 'a\ufffdb',
      format: { encoding: 'utf-8', hasBom: false },
      isExact: false,
    });
  });

  it('take UTF-8 with a wrong byte for what it is', () => {
    const bytes = Uint8Array.from([...new TextEncoder().encode('café crème'), 0xe9]);
    expect(decodeText(bytes)).toMatchObject({ text: 'café crème\ufffd', isExact: false });
  });
});

describe('isBinary', () => {
  const withNulAt = (at: number) => {
    const bytes = new Uint8Array(at + 1).fill(97);
    bytes[at] = 0;
    return bytes;
  };

  it.each([
    ['an empty file', new Uint8Array(0), false],
    ['text', encodeText('plain ✓'), false],
    ['a NUL at the start', withNulAt(0), true],
    ['a NUL as the last of 64 KB', withNulAt(65_535), true],
    ['a NUL behind 64 KB', withNulAt(65_536), false],
    ['UTF-16 with its mark', encodeText('ab', { encoding: 'utf-16le', hasBom: true }), false],
    ['UTF-16 without its mark', encodeText('ab', { encoding: 'utf-16be', hasBom: false }), true],
  ])('judges %s', (_what, bytes, expected) => {
    expect(isBinary(bytes)).toBe(expected);
  });
});
