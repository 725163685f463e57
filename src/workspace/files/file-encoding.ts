// Node's Buffer encodings without Buffer: converts strings to bytes and back. Called by
// file-data.ts.
import { decodeBase64, encodeBase64 } from '../../core/bytes/base64.ts';
import { toHex } from '../../core/bytes/hex.ts';
import { decodeLatin1, encodeLatin1 } from '../../core/bytes/latin1.ts';
import type { Encoding } from './file-options.ts';

type Form = 'utf8' | 'utf16le' | 'latin1' | 'ascii' | 'base64' | 'base64url' | 'hex';

const forms: Readonly<Record<Encoding, Form>> = {
  utf8: 'utf8',
  'utf-8': 'utf8',
  utf16le: 'utf16le',
  'utf-16le': 'utf16le',
  ucs2: 'utf16le',
  'ucs-2': 'utf16le',
  latin1: 'latin1',
  binary: 'latin1',
  ascii: 'ascii',
  base64: 'base64',
  base64url: 'base64url',
  hex: 'hex',
};

/** Returns the form for the name of an encoding, or undefined for a name that Node doesn't know. */
export function encodingForm(name: unknown): Form | undefined {
  if (typeof name !== 'string') return undefined;
  const lower = name.toLowerCase();
  return Object.hasOwn(forms, lower) ? forms[lower as Encoding] : undefined;
}

// Shared, like the decoder below.
const toUtf8 = new TextEncoder();

/**
 * Same as Node's `Buffer.from(text, encoding)`: characters that aren't valid in the form are
 * skipped, or end the text.
 */
export function encodeString(text: string, form: Form): Uint8Array {
  switch (form) {
    case 'utf8':
      return toUtf8.encode(text);
    case 'utf16le': {
      const bytes = new Uint8Array(text.length * 2);
      for (let at = 0; at < text.length; at += 1) {
        const unit = text.charCodeAt(at);
        bytes[at * 2] = unit;
        bytes[at * 2 + 1] = unit >> 8;
      }
      return bytes;
    }
    case 'latin1':
    case 'ascii':
      return encodeLatin1(text);
    case 'base64':
    case 'base64url':
      return fromBase64(text);
    case 'hex':
      return fromHex(text);
  }
}

// As in Node, a byte order mark stays in the text. Shared, because a new decoder costs half as much
// as decoding a small file.
const utf8 = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });

/** Same as Node's `buffer.toString(encoding)`. Inverse of {@link encodeString} for its results. */
export function decodeString(bytes: Uint8Array, form: Form): string {
  switch (form) {
    case 'utf8':
      return utf8.decode(bytes);
    case 'utf16le':
      return fromUtf16(bytes);
    case 'latin1':
      return decodeLatin1(bytes);
    case 'ascii':
      return decodeLatin1(bytes.map((byte) => byte & 0x7f));
    case 'base64':
      return encodeBase64(bytes);
    case 'base64url':
      return encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/u, '');
    case 'hex':
      return toHex(bytes);
  }
}

/** Decodes by units, because TextDecoder would replace half of a surrogate pair. */
function fromUtf16(bytes: Uint8Array): string {
  let text = '';
  for (let at = 1; at < bytes.length; at += 2) {
    text += String.fromCharCode((bytes[at - 1] ?? 0) | ((bytes[at] ?? 0) << 8));
  }
  return text;
}

/** Accepts both alphabets and ends at the first `=`, as in Node. */
function fromBase64(text: string): Uint8Array {
  const end = text.indexOf('=');
  const digits = (end === -1 ? text : text.slice(0, end))
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/[^A-Za-z0-9+/]/gu, '');
  // A single remaining digit isn't a byte.
  const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits;
  return decodeBase64(whole);
}

/** Ends at the first pair that isn't hexadecimal. */
function fromHex(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length >> 1);
  for (let at = 0; at < bytes.length; at += 1) {
    const pair = text.slice(at * 2, at * 2 + 2);
    if (!/^[0-9a-f]{2}$/iu.test(pair)) return bytes.slice(0, at);
    bytes[at] = Number.parseInt(pair, 16);
  }
  return bytes;
}
