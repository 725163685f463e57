// The lines to show for the matches in one text: numbered, with the lines around them.
import { findMatches, findParts, type LineMatch } from './find-matches.ts';
import type { Pattern } from './pattern.ts';
import { toShownText, type SearchableText } from './searchable-text.ts';

export interface ShownLine {
  /** Lines count from 1. */
  readonly number: number;
  readonly text: string;
  /** Else it is a line around a match. */
  readonly isMatch: boolean;
}

export interface LineOptions {
  readonly before: number;
  readonly after: number;
  /** Shows the matching parts instead of the lines, each on its own. */
  readonly onlyMatching: boolean;
  /** Enough matching lines: further matches aren't looked for. */
  readonly maxMatches: number;
}

/** In the order of the text. Empty when nothing matches. */
export function findShownLines(
  pattern: Pattern,
  searchable: SearchableText,
  options: LineOptions,
): ShownLine[] {
  const matches = findNumbered(pattern, searchable, options.maxMatches);
  const shown = options.onlyMatching
    ? matches.flatMap((match) => toParts(pattern, searchable, match))
    : toLines(searchable.text, matches);
  return options.before + options.after > 0
    ? addContext(searchable.text, matches, shown, options)
    : shown;
}

/** A match with the numbers of its first and last line. */
interface NumberedMatch extends LineMatch {
  readonly first: number;
  readonly last: number;
}

/** The matches with their lines' numbers, counted on the way. */
function findNumbered(
  pattern: Pattern,
  searchable: SearchableText,
  maxMatches: number,
): NumberedMatch[] {
  const { text } = searchable;
  const numbered: NumberedMatch[] = [];
  let number = 1;
  let at = 0;
  // Matches come in order, so each line is counted once.
  const numberAt = (place: number): number => {
    for (
      let end = text.indexOf('\n', at);
      end !== -1 && end < place;
      end = text.indexOf('\n', at)
    ) {
      number += 1;
      at = end + 1;
    }
    return number;
  };
  for (const match of findMatches(pattern, searchable)) {
    const first = numberAt(match.start);
    numbered.push({ ...match, first, last: numberAt(match.end) });
    if (numbered.length >= maxMatches) break;
  }
  return numbered;
}

/** Each line once: matches of several lines may share the one where they meet. */
function toLines(text: string, matches: readonly NumberedMatch[]): ShownLine[] {
  const lines: ShownLine[] = [];
  for (const match of matches) {
    const texts = text.slice(match.start, match.end).split('\n');
    texts.forEach((line, index) => {
      const number = match.first + index;
      if (number > (lines.at(-1)?.number ?? 0)) {
        lines.push({ number, text: toShownText(line), isMatch: true });
      }
    });
  }
  return lines;
}

/** What `-o` shows: of a match that spans lines, each line's share. */
function toParts(
  pattern: Pattern,
  { text, isAscii }: SearchableText,
  match: NumberedMatch,
): ShownLine[] {
  if (!pattern.spansLines) {
    const line = text.slice(match.start, match.end);
    const hasEnd = match.end < text.length;
    return (
      findParts(pattern, line, isAscii)
        // As in ripgrep: behind the last character of a text nothing is matched.
        .filter(({ start }) => hasEnd || start < line.length)
        .map(({ start, end }) => ({
          number: match.first,
          text: toShownText(line.slice(start, end)),
          isMatch: true,
        }))
    );
  }
  const { matchStart, matchEnd } = match;
  const lines = text.slice(matchStart, matchEnd).split('\n');
  return (
    lines
      .map((line, index) => ({
        number: match.first + index,
        text: toShownText(line),
        isMatch: true,
      }))
      // As in ripgrep: of an empty line nothing can be shown.
      .filter((line) => line.text !== '')
  );
}

/** The shown lines with those before and after each match, none twice. */
function addContext(
  text: string,
  matches: readonly NumberedMatch[],
  shown: readonly ShownLine[],
  { before, after }: LineOptions,
): ShownLine[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const matched = new Set<number>();
  for (const { first, last } of matches) {
    for (let number = first; number <= last; number += 1) matched.add(number);
  }
  const around = new Map<number, ShownLine>();
  for (const { first, last } of matches) {
    const from = Math.max(first - before, 1);
    const to = Math.min(last + after, lines.length);
    for (let number = from; number <= to; number += 1) {
      if (matched.has(number)) continue;
      around.set(number, { number, text: toShownText(lines[number - 1] ?? ''), isMatch: false });
    }
  }
  // Sorting keeps the order of the parts that stand on one line.
  return [...shown, ...around.values()].sort((a, b) => a.number - b.number);
}
