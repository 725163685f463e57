// Decodes and encodes text files: detects the encoding and binary files, and writes back without
// changing unedited bytes. Called by the tools that read and edit files.

import { guessEncoding } from './guess-encoding.ts';
import { decodeLegacy, encodeLegacy, type LegacyEncoding } from './legacy-encoding.ts';

type UnicodeEncoding = 'utf-8' | 'utf-16le' | 'utf-16be';

export type TextEncoding = UnicodeEncoding | LegacyEncoding;

/** The form of a text in its file. {@link encodeText} needs it to write the text back as it was. */
export interface TextFormat {
  readonly encoding: TextEncoding;
  readonly hasBom: boolean;
}

export interface DecodedText {
  /** The text without the byte order mark. */
  readonly text: string;
  readonly format: TextFormat;
  /**
   * False if the encoding isn't known, and bytes that aren't UTF-8 became U+FFFD. Writing the text back would change
   * them.
   */
  readonly isExact: boolean;
}

/** The format of new files. */
export const plainText = { encoding: 'utf-8', hasBom: false } as const satisfies TextFormat;

// 64 KB: about as far as git and ripgrep look. In binary files the first NUL is rarely later.
const binaryProbeBytes = 65_536;

const byteOrderMarks: readonly (readonly [UnicodeEncoding, readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** The encoding by the file's first bytes: UTF-8 unless a byte order mark says otherwise. */
export function detectFormat(
  bytes: Uint8Array,
): TextFormat & { readonly encoding: UnicodeEncoding } {
  for (const [encoding, mark] of byteOrderMarks) {
    if (mark.every((byte, at) => bytes[at] === byte)) return { encoding, hasBom: true };
  }
  return plainText;
}

/**
 * True for a binary file: it has a NUL in the first 64 KB, unless a byte order mark says that it is
 * UTF-16.
 */
export function isBinary(bytes: Uint8Array): boolean {
  if (detectFormat(bytes).encoding !== 'utf-8') return false;
  return bytes.subarray(0, binaryProbeBytes).includes(0);
}

/**
 * A text that is neither UTF-8 nor UTF-16 with its mark is read in the legacy encoding that it
 * declares or looks like. Never throws. Inverse: {@link encodeText}, exact when `isExact` is.
 */
export function decodeText(bytes: Uint8Array): DecodedText {
  const format = detectFormat(bytes);
  const body = bytes.subarray(format.hasBom ? markLength(format.encoding) : 0);
  const options = { ignoreBOM: true };
  try {
    const text = new TextDecoder(format.encoding, { ...options, fatal: true }).decode(body);
    return { text, format, isExact: true };
  } catch {
    const legacy = format.hasBom || isBinary(bytes) ? undefined : decodeAsLegacy(bytes);
    if (legacy) return legacy;
    // The text isn't valid in its encoding. It is still shown, and `isExact` is false.
    return {
      text: new TextDecoder(format.encoding, { ...options, fatal: false }).decode(body),
      format,
      isExact: false,
    };
  }
}

function decodeAsLegacy(bytes: Uint8Array): DecodedText | undefined {
  const encoding = guessEncoding(bytes);
  const text = encoding && decodeLegacy(bytes, encoding);
  if (encoding === undefined || text === undefined) return undefined;
  return { text, format: { encoding, hasBom: false }, isExact: true };
}

/** True for an encoding that has only some characters, such as Latin-1. */
export function isLegacy(encoding: TextEncoding): encoding is LegacyEncoding {
  return !byteOrderMarks.some(([name]) => name === encoding);
}

/**
 * The inverse of {@link decodeText}.
 * @throws ToolError `invalid-input` for a character that a legacy encoding lacks
 */
export function encodeText(text: string, format: TextFormat = plainText): Uint8Array {
  if (isLegacy(format.encoding)) return encodeLegacy(text, format.encoding);
  const mark = format.hasBom ? bomOf(format.encoding) : [];
  const body =
    format.encoding === 'utf-8'
      ? new TextEncoder().encode(text)
      : encodeUtf16(text, format.encoding === 'utf-16le');
  if (mark.length === 0) return body;
  const bytes = new Uint8Array(mark.length + body.length);
  bytes.set(mark);
  bytes.set(body, mark.length);
  return bytes;
}

function encodeUtf16(text: string, isLittleEndian: boolean): Uint8Array {
  const bytes = new Uint8Array(text.length * 2);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < text.length; at += 1) {
    view.setUint16(at * 2, text.charCodeAt(at), isLittleEndian);
  }
  return bytes;
}

function bomOf(encoding: TextEncoding): readonly number[] {
  return byteOrderMarks.find(([name]) => name === encoding)?.[1] ?? [];
}

function markLength(encoding: TextEncoding): number {
  return bomOf(encoding).length;
}
