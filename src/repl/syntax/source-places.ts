// Reads the type stripper's source map, which maps tokens of the stripped code to the source.

/** Returns the source offset of the token at this offset of the stripped code. */
export type FindPlace = (offset: number) => number | undefined;

const digits = new Map(
  [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].map(
    (digit, value) => [digit, value] as const,
  ),
);

interface Mapped {
  readonly code: string;
  /** The source map's mappings. They have one source, and its lines are those of the code. */
  readonly mappings: string;
}

/** `map` strips a source with the same options as those that produced `code`. */
export function createFindPlace(
  code: string,
  source: string,
  map: (source: string) => Mapped,
): FindPlace {
  // The stripper's map is wrong behind a template literal with an empty part. So a rare blank is
  // put into each empty part before mapping.
  const blank = blanks.find((char) => !source.includes(char)) ?? '';
  const filled = source.replace(/`(?=\$\{|`)|\}(?=[`$])/gu, (before) => before + blank);
  const mapped = map(filled);
  const isSame = mapped.code.replaceAll(blank, '') === code;
  const { code: mappedCode, mappings } = isSame ? mapped : map(source);
  const places = readPlaces(mappings, mappedCode, isSame ? filled : source);
  const toMapped = isSame && blank !== '' ? shiftTo(mappedCode, blank) : (offset: number) => offset;
  const toSource = isSame && blank !== '' ? shiftFrom(filled, blank) : (offset: number) => offset;
  return (offset) => {
    const place = places.get(toMapped(offset));
    return place === undefined ? undefined : toSource(place);
  };
}

// Blanks of different widths, which sources hardly ever contain.
const blanks = ['\u2000', '\u2001', '\u2004', '\u2005', '\u2006'];

/** Maps an offset of the text without the blanks to an offset of the text with them. */
function shiftTo(text: string, blank: string): (offset: number) => number {
  const at = placesOf(text, blank);
  return (offset) => {
    let shift = 0;
    while (shift < at.length && (at[shift] ?? 0) - shift <= offset) shift += 1;
    return offset + shift;
  };
}

function shiftFrom(text: string, blank: string): (offset: number) => number {
  const at = placesOf(text, blank);
  return (offset) => offset - at.filter((place) => place < offset).length;
}

function placesOf(text: string, blank: string): number[] {
  return [...text.matchAll(new RegExp(blank, 'gu'))].map(({ index }) => index);
}

function readPlaces(mappings: string, code: string, source: string): Map<number, number> {
  const codeLines = lineStarts(code);
  const sourceLines = lineStarts(source);
  const places = new Map<number, number>();
  let sourceLine = 0;
  let sourceColumn = 0;
  mappings.split(';').forEach((segments, line) => {
    let column = 0;
    for (const segment of segments.split(',')) {
      const [added = 0, , lines = 0, columns = 0] = readNumbers(segment);
      column += added;
      sourceLine += lines;
      sourceColumn += columns;
      places.set((codeLines[line] ?? 0) + column, (sourceLines[sourceLine] ?? 0) + sourceColumn);
    }
  });
  return places;
}

/**
 * Decodes Base64 VLQ, as in source maps: five bits in each digit, lowest digit first. The lowest
 * bit of all is the sign.
 */
function readNumbers(segment: string): number[] {
  const numbers: number[] = [];
  let value = 0;
  let shift = 0;
  for (const char of segment) {
    const digit = digits.get(char) ?? 0;
    value += (digit & 31) << shift;
    shift += 5;
    if (digit & 32) continue;
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    value = 0;
    shift = 0;
  }
  return numbers;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
