// Edits of a source text, given by offsets of the original text. They must keep the number of each
// line.

export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /**
   * The order among edits that begin at the same offset. The default for an edit that only inserts
   * text is {@link Place.adds}.
   */
  readonly place?: Place;
}

/**
 * Orders edits at one offset from left to right. Text that ends something comes before text that
 * begins something. Inner nodes end first and outer nodes begin first.
 */
export type Place = (typeof Place)[keyof typeof Place];
export const Place = {
  endsExpression: 0,
  endsStatement: 1,
  endsLoop: 2,
  beginsStatement: 3,
  adds: 4,
  beginsExpression: 5,
  replaces: 6,
} as const;

export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Applies edits that don't overlap. Edits with the same offset and place are applied in the given
 * order.
 */
export function applyEdits(code: string, edits: readonly Edit[]): string {
  const placeOf = ({ start, end, place }: Edit) =>
    place ?? (start === end ? Place.adds : Place.replaces);
  const sorted = edits.toSorted(
    (a, b) => a.start - b.start || placeOf(a) - placeOf(b) || a.end - b.end,
  );
  let result = '';
  let at = 0;
  for (const edit of sorted) {
    result += code.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + code.slice(at);
}

export interface Edited {
  readonly code: string;
  /**
   * Maps an offset of the edited code to the original code. Undefined for an offset within inserted
   * text.
   */
  readonly toBefore: (offset: number) => number | undefined;
}

/** Same as {@link applyEdits}, for edits without a `place`. Also returns a map of offsets. */
export function editWithPlaces(code: string, edits: readonly Edit[]): Edited {
  const sorted = edits.toSorted((a, b) => a.start - b.start);
  const toBefore = (offset: number) => {
    let added = 0;
    for (const { start, end, text } of sorted) {
      if (offset < start + added) break;
      if (offset < start + added + text.length) return undefined;
      added += text.length - (end - start);
    }
    return offset - added;
  };
  return { code: applyEdits(code, edits), toBefore };
}

/** Replaces these ranges by blanks. Line ends are kept, so lines and columns don't change. */
export function blank(code: string, ranges: readonly Range[]): string {
  return applyEdits(
    code,
    ranges.map((range) => ({ ...range, text: toBlanks(code.slice(range.start, range.end)) })),
  );
}

/**
 * Replaces everything except these ranges by blanks. The ranges must be in order and must not
 * overlap.
 */
export function blankExcept(code: string, ranges: readonly Range[]): string {
  const starts = [0, ...ranges.map((range) => range.end)];
  const ends = [...ranges.map((range) => range.start), code.length];
  return blank(
    code,
    starts.map((start, index) => ({ start, end: ends[index] ?? code.length })),
  );
}

export function contains(range: Range, edit: Range): boolean {
  return range.start <= edit.start && edit.end <= range.end;
}

function toBlanks(text: string): string {
  return text.replace(/[^\n\r\u2028\u2029]/gu, (char) => ' '.repeat(char.length));
}
