import { describe, expect, it } from 'vitest';
import { encodeBase64 } from '../../../src/core/bytes/base64.ts';
import { isWholeImage, readImageHeader } from '../../../src/workspace/state/image.ts';

/** Numbers are bytes, strings are one byte a character. */
const bytes = (...parts: (number | string)[]): Uint8Array =>
  new Uint8Array(
    parts.flatMap((part) =>
      typeof part === 'number' ? [part] : [...part].map((char) => char.charCodeAt(0)),
    ),
  );

describe('readImageHeader', () => {
  it.each([
    ['image/png', bytes('\x89PNG\r\n\x1a\n', 0, 0, 0, 13, 'IHDR', 0, 0, 1, 0, 0, 0, 0, 9), 256, 9],
    ['image/gif', bytes('GIF89a', 3, 1, 4, 0), 259, 4],
    [
      'image/jpeg',
      bytes(0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 17, 8, 0, 5, 1, 0, 3),
      256,
      5,
    ],
    [
      'image/webp',
      bytes('RIFF', 0, 0, 0, 0, 'WEBPVP8X', 10, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 4, 0, 0),
      10,
      5,
    ],
    [
      'image/webp',
      bytes('RIFF', 0, 0, 0, 0, 'WEBPVP8L', 5, 0, 0, 0, 0x2f, 0x63, 0xc0, 0x31, 0, 0, 0, 0, 0, 0),
      100,
      200,
    ],
    [
      'image/webp',
      bytes('RIFF', 0, 0, 0, 0, 'WEBPVP8 ', 10, 0, 0, 0, 0, 0, 0, 0x9d, 1, 0x2a, 7, 0, 8, 0),
      7,
      8,
    ],
  ])('tells a %s and its size', (mediaType, header, width, height) => {
    expect(readImageHeader(header)).toEqual({ mediaType, size: { width, height } });
  });

  it.each([
    ['text', bytes('hello, world')],
    ['nothing', bytes()],
    ['a RIFF that is no image', bytes('RIFF', 0, 0, 0, 0, 'WAVE')],
  ])('takes %s for no image', (_what, content) => {
    expect(readImageHeader(content)).toBeUndefined();
  });

  it('knows the kind of a damaged image, but no size', () => {
    expect(readImageHeader(bytes(0xff, 0xd8, 0xff, 0xe0))).toEqual({
      mediaType: 'image/jpeg',
      size: undefined,
    });
  });
});

describe('encodeBase64', () => {
  it('encodes more bytes than a call takes arguments', () => {
    const large = Uint8Array.from({ length: 300_000 }, (_, at) => at % 251);
    const decoded = Uint8Array.from(atob(encodeBase64(large)), (char) => char.charCodeAt(0));
    expect(decoded).toEqual(large);
  });
});

describe('isWholeImage', () => {
  const toBytes = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
  it.each([
    ['image/png', '\x89PNG\r\n\x1a\n\0\0\0\x02IDAT..crc!\0\0\0\0IENDcrc!'],
    ['image/jpeg', '\xff\xd8\xff\xe0....\xff\xd9'],
    ['image/webp', `RIFF\x18\0\0\0WEBPVP8 ${'.'.repeat(16)}`],
  ] as const)('tells a %s that is cut off', (mediaType, text) => {
    const bytes = toBytes(text);
    expect(isWholeImage(toBytes(`${text}more`), mediaType)).toBe(true);
    const lengths = Array.from(bytes, (_, length) =>
      isWholeImage(bytes.slice(0, length), mediaType),
    );
    expect(lengths).not.toContain(true);
    expect(isWholeImage(bytes, mediaType)).toBe(true);
  });
});
