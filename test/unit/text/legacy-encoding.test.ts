import { describe, expect, it, vi } from 'vitest';
import { decodeText, encodeText, type TextFormat } from '../../../src/text/encoding.ts';
import { decodeLegacy, encodeLegacy, toLegacyEncoding } from '../../../src/text/legacy-encoding.ts';
import { encodedTexts, toBytes } from '../../support/files/encoded-texts.ts';
import { createRandom } from '../../support/random.ts';

// Of one, two and three bytes a character.
const encodings = [
  'windows-1252',
  'iso-8859-15',
  'koi8-u',
  'windows-1258',
  'macintosh',
  'shift_jis',
  'euc-jp',
  'gbk',
  'big5',
  'euc-kr',
] as const;

describe('decodeText', () => {
  it.each(encodedTexts)('tells $encoding: $text', (sample) => {
    const { text, encoding, hasBom } = sample;
    expect(decodeText(toBytes(sample))).toEqual({
      text,
      format: { encoding, hasBom },
      isExact: true,
    });
  });

  it.each([
    ['<meta charset="windows-1254">ışık', 'windows-1254'],
    ['<?xml version="1.0" encoding="iso-8859-7"?><a>ή</a>', 'iso-8859-7'],
    ['# -*- coding: latin-1 -*-\n# £é', 'windows-1252'],
    ['@charset "koi8-u"; /* ґ */', 'koi8-u'],
  ] as const)('believes a declaration: %s', (text, encoding) => {
    const bytes = encodeLegacy(text, encoding);
    expect(decodeText(bytes)).toMatchObject({ text, format: { encoding }, isExact: true });
  });

  it.each([
    ['gbk', '你好，世界：读取配置文件，返回数据。'],
    ['shift_jis', 'こんにちは世界。設定を読み込む'],
    ['windows-1251', 'Привет, мир: проверка ввода. '],
  ] as const)('tells %s by a part of one long line, wherever it is cut', (encoding, words) => {
    const line = words.repeat(2_500);
    for (const before of ['', 'x', 'x'.repeat(50_000)]) {
      const text = before + line;
      const decoded = decodeText(encodeLegacy(text, encoding));
      expect([decoded.format.encoding, decoded.isExact]).toEqual([encoding, true]);
      expect(decoded.text === text).toBe(true);
    }
  });

  it('weighs no more than a part of one long line', () => {
    const bytes = new Uint8Array(1_000_000).fill(0xb0);
    const decoding = vi.spyOn(TextDecoder.prototype, 'decode');
    try {
      decodeText(bytes);
      const lengths = decoding.mock.calls.map(([given]) => given?.byteLength ?? 0);
      // As UTF-8 with all faults, twice; as what it is guessed to be; and each guess by a part.
      expect(lengths.filter((length) => length > 40_000).length).toBeLessThanOrEqual(3);
      expect(lengths.length).toBeGreaterThan(10);
    } finally {
      decoding.mockRestore();
    }
  });

  it('does not guess what says that it is UTF-8 and is not', () => {
    const bytes = encodeLegacy('<?xml encoding="UTF-8"?><a>é</a>', 'windows-1252');
    expect(decodeText(bytes)).toMatchObject({ format: { encoding: 'utf-8' }, isExact: false });
  });

  it('does not guess between encodings that are as likely as each other', () => {
    expect(decodeText(encodeLegacy('שלום עולם', 'windows-1255')).isExact).toBe(false);
  });
});

describe('encodeLegacy', () => {
  it.each(encodings)('gives back all bytes that %s decodes to', (encoding) => {
    expect(toLegacyEncoding(encoding)).toBe(encoding);
    const random = createRandom(20);
    for (let run = 0; run < 20; run += 1) {
      // A random text of the encoding: what its decoder makes of random bytes, where it is one. Without
      // controls, some of which Node takes for others in Shift_JIS.
      const bytes = Uint8Array.from({ length: 200 }, () => 0x20 + random.below(0xdf));
      const text = new TextDecoder(encoding)
        .decode(bytes)
        .replace(/[\p{Cc}\ufffd\ue000-\uf8ff]|\p{Cs}|[\u{10000}-\u{10ffff}]/gu, '?');
      const known = [...text].filter((character) => isIn(character, encoding)).join('');
      expect(known.length).toBeGreaterThan(text.length / 3);
      const encoded = encodeLegacy(known, encoding);
      expect(new TextDecoder(encoding, { fatal: true }).decode(encoded)).toBe(known);
      expect(decodeLegacy(encoded, encoding)).toBe(known);
    }
  });

  it('writes a character that stands in a table twice as other programs do', () => {
    expect([...encodeLegacy('十', 'big5')]).toEqual([0xa4, 0x51]);
    expect([...encodeLegacy('纊', 'shift_jis')]).toEqual([0xfa, 0x5c]);
  });

  it('leaves alone a file whose bytes it would not write the same', () => {
    // The other place of 纊 in Shift_JIS.
    expect(decodeLegacy(new Uint8Array([0xed, 0x40]), 'shift_jis')).toBe(undefined);
  });

  it('refuses a character that the encoding has not', () => {
    const format: TextFormat = { encoding: 'windows-1251', hasBom: false };
    expect(() => encodeText('да 😀', format)).toThrow(
      'The file is in windows-1251, which has no "😀" (U+1F600). Use characters that it has, or ' +
        "make the file UTF-8 first: Repl's fs.writeFileSync writes UTF-8.",
    );
  });
});

function isIn(character: string, encoding: (typeof encodings)[number]): boolean {
  try {
    encodeLegacy(character, encoding);
    return true;
  } catch {
    return false;
  }
}
