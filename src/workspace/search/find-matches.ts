// Finds a pattern in one text. Lines are what is looked for; where in the line the match stands is
// asked only when the matching parts are to be shown.
import type { Pattern } from './pattern.ts';
import type { SearchExpression } from './search-expression.ts';
import type { SearchableText } from './searchable-text.ts';

/** A stretch of the text, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The whole lines that a match stands on, without the last line's end, and the match itself. */
export interface LineMatch extends Span {
  /** For a pattern that doesn't span lines: the line's own start and end. */
  readonly matchStart: number;
  readonly matchEnd: number;
}

/**
 * The matches in their order: each matching line once, or each match of a pattern that spans
 * lines. Lazy, so that who needs one match pays for one.
 */
export function findMatches(
  pattern: Pattern,
  searchable: Pick<SearchableText, 'text' | 'isAscii'>,
): Iterable<LineMatch> {
  return pattern.spansLines ? findSpans(pattern, searchable) : findLines(pattern, searchable);
}

/** The expression sees one line at a time, so it can neither cross a line end nor see behind it. */
function* findLines(
  pattern: Pattern,
  { text, isAscii }: Pick<SearchableText, 'text' | 'isAscii'>,
): Generator<LineMatch> {
  const expression = pattern.expression(isAscii);
  const candidates = createCandidateFinder(pattern, { text, isAscii });
  for (let at = 0; at < text.length;) {
    const candidate = candidates.next(at);
    if (candidate === -1) return;
    const start = startOfLine(text, candidate);
    const lineEnd = text.indexOf('\n', candidate);
    const end = lineEnd === -1 ? text.length : lineEnd;
    expression.lastIndex = 0;
    if (candidates.areMatches || expression.test(text.slice(start, end))) {
      yield { start, end, matchStart: start, matchEnd: end };
    }
    at = end + 1;
  }
}

/** Leads from line to line that may match: by a literal where there is one, else to every line. */
interface CandidateFinder {
  /** A place in the next line that may match, at or after `at`; -1 for none. */
  next(at: number): number;
  /** What is found is a match, and needs no expression. */
  readonly areMatches: boolean;
}

function createCandidateFinder(
  { literal }: Pattern,
  { text, isAscii }: Pick<SearchableText, 'text' | 'isAscii'>,
): CandidateFinder {
  if (!literal || (literal.ignoreCase && !isAscii)) {
    return { next: (at) => at, areMatches: false };
  }
  // In ASCII lower case keeps every place.
  const haystack = literal.ignoreCase ? text.toLowerCase() : text;
  return { next: (at) => haystack.indexOf(literal.text, at), areMatches: literal.isWhole };
}

/**
 * Runs over the text from each match to the next as ripgrep does: each search begins a new text, so
 * `\A` matches again where the last match ended.
 */
function* findSpans(
  pattern: Pattern,
  { text, isAscii }: Pick<SearchableText, 'text' | 'isAscii'>,
): Generator<LineMatch> {
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
    const last = Math.max(matchEnd - 1, matchStart);
    const lineEnd = text.indexOf('\n', last);
    yield { start, end: lineEnd === -1 ? text.length : lineEnd, matchStart, matchEnd };
    at = matchEnd > matchStart ? matchEnd : matchEnd + stepAfter(text, matchEnd);
  }
}

/** How many lines match or, for a pattern that spans lines, how many matches there are. */
export function countMatches(
  pattern: Pattern,
  searchable: Pick<SearchableText, 'text' | 'isAscii'>,
): number {
  let count = 0;
  for (const _match of findMatches(pattern, searchable)) {
    count += 1;
    // Such matches are counted in the whole text, where `^` holds only at the start of a line.
    if (pattern.spansLines) return countSpans(pattern, searchable);
  }
  return count;
}

function countSpans(
  pattern: Pattern,
  { text, isAscii }: Pick<SearchableText, 'text' | 'isAscii'>,
): number {
  // An empty match at the very end is of no line.
  const parts = findParts(pattern, text, { isAscii, from: 0, to: text.length });
  // A match is known to be there, if perhaps only at the end.
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
    // An empty match right behind another is none, in Rust.
    if (end > start || start !== lastEnd) parts.push({ start, end });
    lastEnd = end;
    at = end;
    if (end > start) continue;
    // Rust goes on by one byte from there, so it finds as many more as the character has.
    const inside = bytesAfter(text, end) - 1;
    if (inside > 0 && matchesInside(expression)) {
      for (let byte = 0; byte < inside; byte += 1) parts.push({ start, end });
    }
    at += stepAfter(text, end);
  }
  return parts;
}

/** Can it match without a character, between two bytes of one? */
function matchesInside(expression: SearchExpression): boolean {
  expression.lastIndex = 1;
  // Two bytes that are no text, as searchable-text.ts decodes them.
  const found = expression.exec('\udc80\udc80');
  return found?.index === 1 && found[0] === '';
}

function startOfLine(text: string, at: number): number {
  // At 0 the search backwards would find a line end at 0, which is behind the place.
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

/** The character's length in UTF-8; 1 for a byte that is no text, and at the end. */
function bytesAfter(text: string, at: number): number {
  const point = text.codePointAt(at) ?? 0;
  const isBroken = point >= 0xdc00 && point <= 0xdfff;
  return point < 0x80 || isBroken ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}

/** The length of the character at a place: one never begins within a surrogate pair. */
function stepAfter(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
