// Changes to a source text by offsets of the original, so that every line keeps its number.

export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /**
   * The order among edits that begin at the same place. Without it, an edit that only adds text is
   * {@link Place.adds}.
   */
  readonly place?: Place;
}

/**
 * From the left: edits that end there, then edits that begin there, each from the inside out or
 * from the outside in.
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

/** Applies edits that don't overlap; those of one place in the order given. */
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
  /** From an offset of this code to one of the code before. Undefined within added text. */
  readonly toBefore: (offset: number) => number | undefined;
}

/** As {@link applyEdits}, for edits without a place. */
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

/** The text with these ranges as blanks: line ends stay, so lines and columns do. */
export function blank(code: string, ranges: readonly Range[]): string {
  return applyEdits(
    code,
    ranges.map((range) => ({ ...range, text: toBlanks(code.slice(range.start, range.end)) })),
  );
}

/** The text with all but these ranges as blanks. Ranges are in order and don't overlap. */
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
