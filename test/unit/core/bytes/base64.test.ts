// Bytes as text, for messages and server-sent events: large ones, too.
import { expect, it } from 'vitest';
import { decodeBase64, encodeBase64 } from '../../../../src/core/bytes/base64.ts';

it.each([0, 1, 2, 3, 256, 8_191, 8_192, 8_193, 100_000])('gives %i bytes back', (length) => {
  const bytes = Uint8Array.from({ length }, (_, at) => (at * 7) % 256);
  const text = encodeBase64(bytes);
  expect(text).toBe(btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')));
  expect(decodeBase64(text)).toEqual(bytes);
});
