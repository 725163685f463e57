// Makes the lines to show from the matches in one text: numbered, with their context.
import { findMatches, findParts, type Span } from './find-matches.ts';
import type { Passage } from './index/passages.ts';
import type { Pattern } from './pattern.ts';
import { toShownText, type SearchableText } from './index/searchable-text.ts';

export interface ShownLine {
  /** Lines count from 1. */
  readonly number: number;
  readonly text: string;
  /** False: it is a line near a match. */
  readonly isMatch: boolean;
}

export interface LineOptions {
  readonly before: number;
  readonly after: number;
  /** Shows the matching parts instead of the lines, each on its own. */
  readonly onlyMatching: boolean;
  /** The search ends after so many lines or parts of matches. */
  readonly maxRows: number;
}

/** The shown lines in the order of the text. Empty if nothing matches. */
export function findShownLines(
  pattern: Pattern,
  searchable: SearchableText,
  options: LineOptions,
): ShownLine[] {
  const matches: NumberedMatch[] = [];
  const shown: ShownLine[] = [];
  // A matching line has at least one row.
  const found = findNumbered(findMatches(pattern, searchable, options.maxRows), searchable);
  const isJoined = options.onlyMatching && pattern.spansLines;
  for (const match of isJoined ? joinNeighbours(found) : found) {
    matches.push(match);
    const rows = options.onlyMatching
      ? toParts(pattern, searchable, match)
      : toLines(searchable, match, shown.at(-1)?.number ?? 0);
    for (const row of rows) shown.push(row);
    if (shown.length >= options.maxRows) break;
  }
  return options.before + options.after > 0
    ? addContext(pattern, searchable, matches, shown, options)
    : shown;
}

/** The lines of a match, without the last one's end, and their numbers. */
interface NumberedMatch extends Span {
  readonly first: number;
  readonly last: number;
}

/** The matches with their lines' numbers, counted on the way. */
function* findNumbered(
  matches: Iterable<Span>,
  { text, passages }: SearchableText,
): Generator<NumberedMatch> {
  const numberAt = createLineCounter(text, passages);
  for (const { start, end } of matches) {
    yield { start, end, first: numberAt(start), last: numberAt(end) };
  }
}

/**
 * Gives the line number of each place, asked in order. So each line end is looked for once, and
 * only in the passages of these places.
 */
function createLineCounter(
  text: string,
  passages: readonly Passage[] = [{ start: 0, end: text.length, firstLine: 1 }],
): (place: number) => number {
  let passage = 0;
  let number = passages[0]?.firstLine ?? 1;
  let end = text.indexOf('\n', passages[0]?.start);
  return (place) => {
    for (let next = passages[passage + 1]; next && next.start <= place;) {
      passage += 1;
      number = next.firstLine;
      end = text.indexOf('\n', next.start);
      next = passages[passage + 1];
    }
    for (; end !== -1 && end < place; end = text.indexOf('\n', end + 1)) number += 1;
    return number;
  };
}

/** Gives each line once: matches of several lines may share the one where they meet. */
function toLines(searchable: SearchableText, match: NumberedMatch, lastShown: number): ShownLine[] {
  const { first, last, start, end } = match;
  const matched = searchable.text.slice(start, end);
  // Nearly all matches are within a line.
  const lines = first === last ? [matched] : matched.split('\n');
  const shown: ShownLine[] = [];
  for (const [at, line] of lines.entries()) {
    const number = first + at;
    if (number <= lastShown) continue;
    shown.push({ number, text: toShownText(line, searchable), isMatch: true });
  }
  return shown;
}

/**
 * The parts that `-o` shows of a line, or of neighbouring lines for a pattern that spans lines:
 * each part on its own. A part that spans lines is split by line.
 */
function toParts(pattern: Pattern, searchable: SearchableText, lines: NumberedMatch): ShownLine[] {
  const { text, isAscii } = searchable;
  const end = Math.min(lines.end + 1, text.length);
  const parts = pattern.spansLines
    ? findParts(pattern, text, { isAscii, from: lines.start, to: end })
    : findParts(pattern, text.slice(lines.start, lines.end), {
        isAscii,
        from: 0,
        to: end - lines.start,
      });
  // As in ripgrep, no part is looked for behind the last character of a text. There is none then.
  if (parts.length === 0) return toLines(searchable, lines, 0);
  const offset = pattern.spansLines ? 0 : lines.start;
  const { start, first, end: to } = lines;
  const numberAt = createLineCounter(text, [{ start, end: to + 1, firstLine: first }]);
  const rows = parts.flatMap((part) => {
    const first = numberAt(part.start + offset);
    const texts = text.slice(part.start + offset, part.end + offset).split('\n');
    return texts.map((line, index) => ({ number: first + index, line }));
  });
  return (
    rows
      // As in ripgrep, an empty line of a match that spans lines isn't shown.
      .filter(({ line }) => !pattern.spansLines || line !== '')
      .map(({ number, line }) => ({ number, text: toShownText(line, searchable), isMatch: true }))
  );
}

/** Joins the lines of matches that meet or follow each other. */
function* joinNeighbours(matches: Iterable<NumberedMatch>): Generator<NumberedMatch> {
  let block: NumberedMatch | undefined;
  for (const match of matches) {
    const isNeighbour = block !== undefined && match.first <= block.last + 1;
    if (block && isNeighbour) block = { ...block, end: match.end, last: match.last };
    else {
      if (block) yield block;
      block = match;
    }
  }
  if (block) yield block;
}

// 20 ms: in a runtime whose clock stands still, each check counts as this time.
const linesBetweenChecks = 65_536;

/** The shown lines with those before and after each match, none twice. */
function addContext(
  pattern: Pattern,
  searchable: SearchableText,
  matches: readonly NumberedMatch[],
  shown: readonly ShownLine[],
  { before, after }: LineOptions,
): ShownLine[] {
  const lines = searchable.text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const matched = new Set<number>();
  for (const { first, last } of matches) {
    for (let number = first; number <= last; number += 1) matched.add(number);
  }
  const around: ShownLine[] = [];
  // Matches come in order, so the lines before `next` were looked at for an earlier match.
  let next = 1;
  for (const { first, last } of matches) {
    const to = Math.min(last + after, lines.length);
    for (next = Math.max(first - before, next); next <= to; next += 1) {
      if (matched.has(next)) continue;
      const text = toShownText(lines[next - 1] ?? '', searchable);
      around.push({ number: next, text, isMatch: false });
      if (around.length % linesBetweenChecks === 0) pattern.checkTime();
    }
  }
  // Sorting keeps the order of the parts that stand on one line.
  return [...shown, ...around].sort((a, b) => a.number - b.number);
}
