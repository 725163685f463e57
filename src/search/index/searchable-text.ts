// Decodes a file's bytes for a search, by ripgrep's rules for binary files, UTF-16 and invalid
// bytes.
import { joinBytes } from '../../core/bytes/join-bytes.ts';
import { decodeUtf8 } from '../../core/bytes/decode-utf8.ts';
import { detectFormat } from '../../text/encoding.ts';
import type { Passage } from './passages.ts';

export interface SearchableText {
  /** The text without a byte order mark. A byte that isn't valid UTF-8 is a lone surrogate, U+DC00 + byte. */
  readonly text: string;
  readonly isAscii: boolean;
  /** True if the text is ASCII, and has no character except line feeds that JavaScript takes for a line end. */
  readonly hasPlainLines: boolean;
  /** The place of the first NUL. A text with one is binary: its lines are not shown. */
  readonly nulAt: number;
  /**
   * The passages in which a line may match, as the index knows for this search's pattern. Left out:
   * anywhere.
   */
  readonly passages?: readonly Passage[];
}

// The size of ripgrep's first read: it looks for a NUL in that before it searches at all.
const probeChars = 65_536;

/** `binary`: a NUL is near the start, and the search didn't name this file itself. */
export function toSearchableText(
  bytes: Uint8Array,
  { isExplicit }: { readonly isExplicit: boolean },
): SearchableText | 'binary' {
  const format = detectFormat(bytes);
  const isUtf16 = format.encoding !== 'utf-8';
  const body = isUtf16 ? bytes.subarray(2) : bytes.subarray(format.hasBom ? 3 : 0);
  if (!isUtf16 && !isExplicit && body.subarray(0, probeChars).includes(0)) return 'binary';
  const strict = isUtf16 ? undefined : decodeUtf8(body);
  const text = isUtf16
    ? new TextDecoder(format.encoding, { fatal: false, ignoreBOM: true }).decode(body)
    : (strict ?? decodeBroken(body));
  const nulAt = text.indexOf('\0');
  if (isUtf16 && !isExplicit && nulAt !== -1 && nulAt < probeChars) return 'binary';
  // In UTF-8 all other characters take more bytes than they have UTF-16 units.
  const isAscii = isUtf16 ? !/\P{ASCII}/u.test(text) : strict?.length === body.length;
  const hasPlainLines = isAscii && !text.includes('\r');
  return { text, isAscii, hasPlainLines, nulAt };
}

/** A line of a text as it is shown, with replacement characters for bytes that were no text. */
export function toShownText(line: string, { isAscii }: Pick<SearchableText, 'isAscii'>): string {
  // A quick check comes first: whether there is any surrogate.
  if (isAscii || !/[\ud800-\udfff]/.test(line) || !/\p{Cs}/u.test(line)) return line;
  // Converted through bytes: a broken sequence of several bytes is one replacement character, not
  // several.
  const parts = line
    .split(/(\p{Cs}+)/u)
    .map((part, index) =>
      index % 2 === 0
        ? new TextEncoder().encode(part)
        : Uint8Array.from(part, (char) => char.charCodeAt(0) & 0xff),
    );
  return new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(joinBytes(parts));
}

/** Decodes by hand, byte by byte: only for files that aren't valid UTF-8. */
function decodeBroken(bytes: Uint8Array): string {
  const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const parts: string[] = [];
  let validFrom = 0;
  const flush = (end: number) => {
    if (end > validFrom) parts.push(strict.decode(bytes.subarray(validFrom, end)));
  };
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at);
    if (length === 0) {
      flush(at);
      parts.push(String.fromCharCode(0xdc00 + (bytes[at] ?? 0)));
      validFrom = at + 1;
    }
    at += Math.max(length, 1);
  }
  flush(bytes.length);
  return parts.join('');
}

/** The number of bytes of the character at `at`. 0 if there is no valid one. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0;
  const second = bytes[at + 1] ?? 0;
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  // The second byte shows overlong forms, surrogates and numbers beyond U+10FFFF.
  const lowest = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const highest = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (second < lowest || second > highest) return 0;
  for (let offset = 2; offset < length; offset += 1) {
    if (((bytes[at + offset] ?? 0) & 0xc0) !== 0x80) return 0;
  }
  return length;
}
