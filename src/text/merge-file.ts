// The three-way merge of a file's bytes. The text is merged by lines, the encoding and the kind of line ends each as
// a whole. Called for a path that both sides changed.
import { hasCode } from '../core/errors.ts';
import { isSameBytes } from '../core/bytes/same-bytes.ts';
import { decodeText, encodeText, isBinary, type DecodedText, type TextFormat } from './encoding.ts';
import { detectLineEnding, fromLineFeeds, toLineFeeds, type LineEnding } from './line-endings.ts';
import { mergeText, type ConflictRegion } from './merge-text.ts';

/**
 * `regions` is empty if the conflict isn't about lines. That is so for binary files, two new
 * encodings, or an encoding of one side that lacks a character of the other's.
 */
export type FileMerge =
  | { readonly type: 'clean'; readonly bytes: Uint8Array }
  | { readonly type: 'conflict'; readonly regions: readonly ConflictRegion[] };

/** The three sides of a merge. */
interface Sides<Value> {
  readonly base: Value;
  readonly ours: Value;
  readonly theirs: Value;
}

/**
 * Merges a file. A change of one side is taken. Files that are binary, or no valid text of their
 * encoding, merge only if one side is unchanged or both are the same. The returned bytes are new,
 * or one of the arguments itself.
 */
export function mergeFile(base: Uint8Array, ours: Uint8Array, theirs: Uint8Array): FileMerge {
  const whole = pick({ base, ours, theirs }, isSameBytes);
  if (whole) return { type: 'clean', bytes: whole };
  if ([base, ours, theirs].some(isBinary)) return { type: 'conflict', regions: [] };
  const texts = { base: decodeText(base), ours: decodeText(ours), theirs: decodeText(theirs) };
  const format = pick(
    ofEach(texts, ({ format: its }) => its),
    isSameFormat,
  );
  const isExact = Object.values(texts).every((decoded: DecodedText) => decoded.isExact);
  if (!format || !isExact) return { type: 'conflict', regions: [] };
  const plain = ofEach(texts, ({ text }) => text);
  const ending = sharedEnding(plain);
  const { base: old, ours: our, theirs: their } = ending ? ofEach(plain, toLineFeeds) : plain;
  const merged = mergeText(old, our, their);
  if (merged.type === 'conflict') return merged;
  const text = ending ? fromLineFeeds(merged.text, ending) : merged.text;
  try {
    return { type: 'clean', bytes: encodeText(text, format) };
  } catch (error) {
    // One side's new characters aren't in the encoding that the other one chose.
    if (hasCode(error, 'invalid-input')) {
      return { type: 'conflict', regions: [] };
    }
    throw error;
  }
}

/**
 * The line end of the merged file. A side that converted the whole file decides it, and the other's
 * lines still match. Undefined if a file has several kinds: its line ends are then compared as
 * parts of their lines.
 */
function sharedEnding(texts: Sides<string>): LineEnding | undefined {
  const isUniform = (text: string) =>
    fromLineFeeds(toLineFeeds(text), detectLineEnding(text)) === text;
  if (!Object.values(texts).every(isUniform)) return undefined;
  const { base, ours, theirs } = ofEach(texts, endingOf);
  // A text of one line has no line end, so it has changed none.
  const old = base ?? ours ?? theirs;
  return old && pick({ base: old, ours: ours ?? old, theirs: theirs ?? old }, Object.is);
}

function endingOf(text: string): LineEnding | undefined {
  return text.includes('\n') ? detectLineEnding(text) : undefined;
}

/** The value that one side changed, or both in the same way. Undefined for a conflict. */
function pick<Value>(
  { base, ours, theirs }: Sides<Value>,
  isSame: (left: Value, right: Value) => boolean,
): Value | undefined {
  if (isSame(ours, theirs) || isSame(base, theirs)) return ours;
  return isSame(base, ours) ? theirs : undefined;
}

function ofEach<Value, Result>(
  { base, ours, theirs }: Sides<Value>,
  convert: (value: Value) => Result,
): Sides<Result> {
  return { base: convert(base), ours: convert(ours), theirs: convert(theirs) };
}

function isSameFormat(left: TextFormat, right: TextFormat): boolean {
  return left.encoding === right.encoding && left.hasBom === right.hasBom;
}
