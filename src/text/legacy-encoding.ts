// Encodes and decodes the legacy encodings that the platform's TextDecoder knows. The platform has no encoders for
// them, so we invert the decoders' tables. Called by encoding.ts.
import { ToolError } from '../core/errors.ts';
import { isSameBytes } from '../core/bytes/same-bytes.ts';

const singleByteEncodings = [
  'ibm866',
  'iso-8859-2',
  'iso-8859-3',
  'iso-8859-4',
  'iso-8859-5',
  'iso-8859-6',
  'iso-8859-7',
  'iso-8859-8',
  'iso-8859-10',
  'iso-8859-13',
  'iso-8859-14',
  'iso-8859-15',
  'iso-8859-16',
  'koi8-r',
  'koi8-u',
  'macintosh',
  'windows-874',
  'windows-1250',
  'windows-1251',
  'windows-1252',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'windows-1257',
  'windows-1258',
  'x-mac-cyrillic',
] as const;

const doubleByteEncodings = ['shift_jis', 'euc-jp', 'gbk', 'gb18030', 'big5', 'euc-kr'] as const;

/** The names that `TextDecoder.encoding` gives. `windows-1252` includes Latin-1. */
export type LegacyEncoding =
  (typeof singleByteEncodings)[number] | (typeof doubleByteEncodings)[number];

const legacyEncodings: readonly string[] = [...singleByteEncodings, ...doubleByteEncodings];

/** For each encoding that was used: the bytes of a UTF-16 unit as one number, 0 for none. */
const encoders = new Map<LegacyEncoding, Uint32Array>();

/** Undefined for a label of an unknown encoding, or of one that isn't a legacy one. */
export function toLegacyEncoding(label: string): LegacyEncoding | undefined {
  try {
    const { encoding } = new TextDecoder(label);
    return legacyEncodings.includes(encoding) ? (encoding as LegacyEncoding) : undefined;
  } catch {
    // The platform doesn't know the label.
    return undefined;
  }
}

/** Undefined if writing the text back would not give the same bytes. */
export function decodeLegacy(bytes: Uint8Array, encoding: LegacyEncoding): string | undefined {
  let text: string;
  try {
    text = new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
  // Some encodings have several byte sequences for one character, of which an encoder writes only one.
  const again = toBytes(text, encoding);
  return again instanceof Uint8Array && isSameBytes(again, bytes) ? text : undefined;
}

/**
 * The inverse of {@link decodeLegacy}. @throws ToolError for a character that the encoding lacks.
 */
export function encodeLegacy(text: string, encoding: LegacyEncoding): Uint8Array {
  const bytes = toBytes(text, encoding);
  if (bytes instanceof Uint8Array) return bytes;
  const character = String.fromCodePoint(bytes.missing);
  const number = bytes.missing.toString(16).toUpperCase().padStart(4, '0');
  throw new ToolError(
    `The file is in ${encoding}, which has no ${JSON.stringify(character)} (U+${number}). Use ` +
      "characters that it has, or make the file UTF-8 first: Repl's fs.writeFileSync writes UTF-8.",
    { code: 'invalid-input', data: { encoding, character } },
  );
}

/** The bytes, or the first code point that the encoding can't write. */
function toBytes(
  text: string,
  encoding: LegacyEncoding,
): Uint8Array | { readonly missing: number } {
  const encoder = getEncoder(encoding);
  // No unit takes more than 3 bytes.
  const bytes = new Uint8Array(text.length * 3);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    const code = encoder[unit] ?? 0;
    if (code === 0 && unit !== 0) return { missing: text.codePointAt(at) ?? unit };
    if (code > 0xffff) bytes[length++] = code >> 16;
    if (code > 0xff) bytes[length++] = (code >> 8) & 0xff;
    bytes[length++] = code & 0xff;
  }
  return bytes.slice(0, length);
}

function getEncoder(encoding: LegacyEncoding): Uint32Array {
  const known = encoders.get(encoding);
  if (known) return known;
  const encoder = new Uint32Array(0x10000);
  for (let unit = 0; unit < 0x80; unit += 1) encoder[unit] = unit;
  addSequences(encoder, encoding, []);
  if (!(singleByteEncodings as readonly string[]).includes(encoding)) {
    for (let lead = 0x81; lead <= 0xfe; lead += 1) {
      if (isWritten(encoding, lead)) addSequences(encoder, encoding, [lead]);
    }
  }
  if (encoding === 'euc-jp') {
    for (let second = 0xa1; second <= 0xfe; second += 1) {
      addSequences(encoder, encoding, [0x8f, second]);
    }
  }
  encoders.set(encoding, encoder);
  return encoder;
}

/**
 * True for a lead byte that an encoder writes, if an encoding has a character twice: the Encoding
 * Standard's choice. Shift_JIS's ED and EE repeat characters of FA to FC. Big5 before A1 is for
 * readers only.
 */
function isWritten(encoding: LegacyEncoding, lead: number): boolean {
  if (encoding === 'shift_jis') return lead !== 0xed && lead !== 0xee;
  return encoding !== 'big5' || lead >= 0xa1;
}

// Six characters are twice in Big5. By the Encoding Standard their second place is written.
const lastInBig5 = '\u2550\u255e\u2561\u256a\u5341\u5345';

/** Adds the characters whose bytes are `prefix` and one more, if each is one UTF-16 unit. */
function addSequences(
  encoder: Uint32Array,
  encoding: LegacyEncoding,
  prefix: readonly number[],
): void {
  const first = prefix.length === 0 ? 0x80 : 0x40;
  // All sequences are decoded at once, one on each line. A line feed is never part of a sequence.
  const lines: number[] = [];
  for (let last = first; last <= 0xff; last += 1) lines.push(...prefix, last, 0x0a);
  const texts = new TextDecoder(encoding).decode(Uint8Array.from(lines)).split('\n');
  texts.forEach((text, index) => {
    const unit = text.charCodeAt(0);
    if (text.length !== 1 || unit < 0x80 || unit === 0xfffd) return;
    const isTaken = (encoder[unit] ?? 0) !== 0;
    if (isTaken && !(encoding === 'big5' && lastInBig5.includes(text))) return;
    encoder[unit] = [...prefix, first + index].reduce((code, byte) => code * 256 + byte, 0);
  });
}
