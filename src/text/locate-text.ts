// Locates a text in a file for Edit. It matches exactly, with two exceptions: `\n` finds either
// line end, and straight quotes find curly ones where nothing else fits. Pure.
import { toLineFeeds } from './line-endings.ts';

/** A range of the file's text, in UTF-16 units. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
  /** The line that it starts on; lines count from 1. */
  readonly line: number;
}

/** All places of `wanted`, without overlaps, in order. `wanted` must not be empty. */
export function locateText(text: string, wanted: string): TextRange[] {
  const plain = toLineFeeds(text);
  const plainWanted = toLineFeeds(wanted);
  const exact = indexesOf(plain, plainWanted);
  const starts =
    exact.length > 0 ? exact : indexesOf(straightenQuotes(plain), straightenQuotes(plainWanted));
  return toRanges(text, plain, starts, plainWanted.length);
}

/** The text with each range replaced by the result of `replace` for its text. */
export function replaceRanges(
  text: string,
  ranges: readonly TextRange[],
  replace: (replaced: string) => string,
): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of ranges) {
    parts.push(text.slice(at, start), replace(text.slice(start, end)));
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join('');
}

/** The places without overlaps: `aa` is in `aaa` once. */
function indexesOf(text: string, wanted: string): number[] {
  const indexes: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
    indexes.push(at);
  }
  return indexes;
}

/** Replaces one unit by one unit, so that places in the result are places in the text. */
export function straightenQuotes(text: string): string {
  return text.replace(/[\u2018-\u201B]/g, "'").replace(/[\u201C-\u201F]/g, '"');
}

/** Turns places in the text with plain line ends into places in the text itself, counting lines. */
function toRanges(
  text: string,
  plain: string,
  starts: readonly number[],
  length: number,
): TextRange[] {
  const hasPairs = plain.length !== text.length;
  const ranges: TextRange[] = [];
  let plainAt = 0;
  let textAt = 0;
  let line = 1;
  // Goes to a place in `plain`, line by line, and keeps the other two counts in step.
  const advanceTo = (target: number): number => {
    for (;;) {
      const lineEnd = plain.indexOf('\n', plainAt);
      if (lineEnd === -1 || lineEnd >= target) break;
      textAt = hasPairs ? text.indexOf('\n', textAt) + 1 : lineEnd + 1;
      plainAt = lineEnd + 1;
      line += 1;
    }
    return textAt + (target - plainAt);
  };
  for (const start of starts) {
    const textStart = advanceTo(start);
    const startLine = line;
    ranges.push({ start: textStart, end: advanceTo(start + length), line: startLine });
  }
  return ranges;
}
