// Finds a pattern in one text. It looks for matching lines; the place in the line is computed only
// when matching parts are shown.
import type { Pattern } from './pattern.ts';
import { indexOfLiteral, type RequiredLiteral } from './regex/required-literal.ts';
import type { SearchExpression } from './regex/search-expression.ts';
import type { SearchableText } from './index/searchable-text.ts';

/** A stretch of the text, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The part of a text that a search needs. */
export type SearchedText = Pick<SearchableText, 'text' | 'isAscii' | 'hasPlainLines' | 'passages'>;

/**
 * The lines of the matches in their order, without the last line's end: each matching line once, or
 * those of each match of a pattern that spans lines. No more lines than `maxLines`; matches that span lines are found as they are asked for.
 */
export function findMatches(
  pattern: Pattern,
  searchable: SearchedText,
  maxLines = Infinity,
): Iterable<Span> {
  return pattern.spansLines
    ? findSpans(pattern, searchable)
    : findLines(pattern, searchable, maxLines);
}

function findLines(pattern: Pattern, searchable: SearchedText, maxLines: number): Span[] {
  const lines: Span[] = [];
  for (const { text, offset } of searchedParts(searchable)) {
    const finder = createLineFinder(pattern, text, searchable);
    for (let at = 0; at < text.length;) {
      const place = finder(at);
      if (place === -1) break;
      const lineEnd = endOfLine(text, place);
      const start = startOfLine(text, place) + offset;
      const end = lineEnd + offset;
      lines.push({ start, end });
      if (lines.length >= maxLines) return lines;
      at = lineEnd + 1;
    }
  }
  return lines;
}

/** The parts of a text that may match, each of whole lines, and where they are in it. */
function searchedParts({
  text,
  passages,
}: SearchedText): readonly { readonly text: string; readonly offset: number }[] {
  if (!passages) return [{ text, offset: 0 }];
  return passages.map(({ start, end }) => ({ text: text.slice(start, end), offset: start }));
}

type TextKind = Pick<SearchableText, 'isAscii' | 'hasPlainLines'>;

/**
 * Finds the first matching line among those that end behind `at`, which begins a line. Gives a
 * place in that line, or -1.
 */
type LineFinder = (at: number) => number;

/**
 * There are three strategies, the fastest first: the pattern consists of plain literals; literals lead to candidate
 * lines; or the expression runs over the whole text.
 */
function createLineFinder(pattern: Pattern, text: string, kind: TextKind): LineFinder {
  const { literals } = pattern;
  const [literal] = literals;
  if (!literal || literal.ignoreCase) return createExpressionFinder(pattern, text, kind);
  const findFirst = literals.length > 1 ? findFirstOf(text, literals) : undefined;
  if (literals.every(({ isWhole }) => isWhole)) {
    return findFirst ?? ((at) => indexOfLiteral(text, literal, at));
  }
  const test = pattern.lineTest(kind.isAscii);
  return (at) => {
    for (let from = at; ;) {
      const place = findFirst ? findFirst(from) : indexOfLiteral(text, literal, from);
      if (place === -1) return -1;
      const end = endOfLine(text, place);
      if (test.test(text.slice(startOfLine(text, place), end))) return place;
      from = end + 1;
    }
  };
}

/** Caches the next place of each literal, so that the text is scanned once for each. */
function findFirstOf(text: string, literals: readonly RequiredLiteral[]): LineFinder {
  const places = literals.map((literal) => indexOfLiteral(text, literal, 0));
  return (at) => {
    let first = -1;
    for (const [number, literal] of literals.entries()) {
      let place = places[number] ?? -1;
      if (place === -1) continue;
      if (place < at) {
        place = indexOfLiteral(text, literal, at);
        places[number] = place;
      }
      if (place !== -1 && (first === -1 || place < first)) first = place;
    }
    return first;
  };
}

function createExpressionFinder(pattern: Pattern, text: string, kind: TextKind): LineFinder {
  const expression = pattern.linesTest(kind);
  return (at) => {
    // Uses `test` and `lastIndex` instead of `exec`, because creating an array for each match takes longer than
    // finding it.
    expression.lastIndex = at;
    if (!expression.test(text)) return -1;
    // The end of the match. It may be the line's end, but isn't beyond it.
    const place = expression.lastIndex;
    // There is no line after the last line feed.
    return place === text.length && text.endsWith('\n') ? -1 : place;
  };
}

/**
 * Runs over the text from each match to the next as ripgrep does. Each search begins a new text, so
 * `\A` matches again where the last match ended.
 */
function* findSpans(pattern: Pattern, { text, isAscii }: SearchedText): Generator<Span> {
  // Most texts that the index lets pass and that don't match lack one of the literals.
  const isIn = (literal: RequiredLiteral) =>
    literal.ignoreCase || indexOfLiteral(text, literal, 0) !== -1;
  if (pattern.literals.length > 0 && !pattern.literals.some(isIn)) return;
  const expression = pattern.expression(isAscii);
  for (let at = 0; at <= text.length;) {
    expression.lastIndex = 0;
    const rest = at === 0 ? text : text.slice(at);
    const found = expression.exec(rest);
    if (!found) return;
    const matchStart = at + found.index;
    const matchEnd = matchStart + found[0].length;
    // After the last line's end there is no further line to match on.
    if (matchStart === text.length && (text === '' || text.endsWith('\n'))) return;
    const start = startOfLine(text, matchStart);
    const end = endOfLine(text, Math.max(matchEnd - 1, matchStart));
    yield { start, end };
    at = matchEnd > matchStart ? matchEnd : matchEnd + stepAfter(text, matchEnd);
  }
}

/** How many lines match or, for a pattern that spans lines, how many matches there are. */
export function countMatches(pattern: Pattern, searchable: SearchedText): number {
  // Such matches are counted in the whole text, where `^` holds only at the start of a line.
  if (pattern.spansLines)
    return hasMatch(pattern, searchable) ? countSpans(pattern, searchable) : 0;
  let count = 0;
  for (const { text } of searchedParts(searchable)) {
    const finder = createLineFinder(pattern, text, searchable);
    for (let at = 0; at < text.length; count += 1) {
      const place = finder(at);
      if (place === -1) break;
      at = endOfLine(text, place) + 1;
    }
  }
  return count;
}

export function hasMatch(pattern: Pattern, searchable: SearchedText): boolean {
  if (pattern.spansLines) return !findSpans(pattern, searchable).next().done;
  const { literals } = pattern;
  // One match is enough. Further ones aren't looked for.
  const isOneOf =
    literals.length > 0 && literals.every(({ isWhole, ignoreCase }) => isWhole && !ignoreCase);
  const hasLine = (text: string) =>
    isOneOf
      ? literals.some((literal) => indexOfLiteral(text, literal, 0) !== -1)
      : text !== '' && createLineFinder(pattern, text, searchable)(0) !== -1;
  const { text, passages } = searchable;
  return passages
    ? passages.some(({ start, end }) => hasLine(text.slice(start, end)))
    : hasLine(text);
}

function countSpans(pattern: Pattern, { text, isAscii }: SearchedText): number {
  // An empty match at the very end belongs to no line.
  const parts = findParts(pattern, text, { isAscii, from: 0, to: text.length });
  // A match is known to be there, maybe only at the end.
  return Math.max(parts.length, 1);
}

/** All matches in a text, or in one line, that begin at or behind `from` and before `to`. */
export function findParts(
  pattern: Pattern,
  text: string,
  { isAscii, from, to }: { readonly isAscii: boolean; readonly from: number; readonly to: number },
): Span[] {
  const expression = pattern.expression(isAscii);
  const parts: Span[] = [];
  let lastEnd = -1;
  for (let at = from; at < to;) {
    expression.lastIndex = at;
    const found = expression.exec(text);
    if (!found || found.index >= to) break;
    const start = found.index;
    const end = start + found[0].length;
    // In Rust, an empty match right behind another doesn't count.
    if (end > start || start !== lastEnd) parts.push({ start, end });
    lastEnd = end;
    at = end;
    if (end > start) continue;
    // Rust continues one byte later. So it finds one more match for each remaining byte of the character.
    const inside = bytesAfter(text, end) - 1;
    if (inside > 0 && matchesInside(expression)) {
      for (let byte = 0; byte < inside; byte += 1) parts.push({ start, end });
    }
    at += stepAfter(text, end);
  }
  return parts;
}

/** True if the expression can match without a character, between two bytes of one. */
function matchesInside(expression: SearchExpression): boolean {
  expression.lastIndex = 1;
  // Two bytes that are no text, as searchable-text.ts decodes them.
  const found = expression.exec('\udc80\udc80');
  return found?.index === 1 && found[0] === '';
}

function startOfLine(text: string, at: number): number {
  // At 0, a backward search would find a line end at 0, which is behind the place.
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

/** The character's length in UTF-8; 1 for a byte that is no text, and at the end. */
function bytesAfter(text: string, at: number): number {
  const point = text.codePointAt(at) ?? 0;
  const isBroken = point >= 0xdc00 && point <= 0xdfff;
  return point < 0x80 || isBroken ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}

/** The end of a place's line: its line feed, or the end of the text. */
function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

/** The length of the character at a place: one never begins within a surrogate pair. */
function stepAfter(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
