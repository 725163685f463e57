// Explains why a text isn't in a file, with a hint at the nearest match. Edit's error when nothing
// fits.
import { clipText } from '../core/text/clip-text.ts';
import { toLineFeeds } from './line-endings.ts';

/** The nearest thing to `wanted` that is in `text`. Never empty. */
export function explainMissingText(text: string, wanted: string): string {
  const lines = toLineFeeds(text).split('\n');
  const wantedLines = toLineFeeds(wanted).split('\n');
  return (
    explainNumbers(wantedLines) ??
    explainWhitespace(lines, wantedLines) ??
    explainCase(text, wanted) ??
    explainFirstLine(lines, wantedLines) ??
    'Nothing in the file resembles it. Read the file to see what it says now.'
  );
}

/** Lines copied together with the numbers that Read puts before them. */
function explainNumbers(wanted: readonly string[]): string | undefined {
  if (!wanted.every((line) => /^\s*\d+\t/.test(line))) return undefined;
  return 'It begins with line numbers: leave out the numbers and tabs that Read puts before lines.';
}

/** The likeliest slip: tabs for blanks, or lines indented as they were shown elsewhere. */
function explainWhitespace(
  lines: readonly string[],
  wanted: readonly string[],
): string | undefined {
  const bare = (line: string) => line.replace(/\s+/gu, '');
  const bareWanted = wanted.map(bare);
  // Blank lines at the ends would fit nearly anywhere.
  while (bareWanted.at(-1) === '') bareWanted.pop();
  while (bareWanted[0] === '') bareWanted.shift();
  if (bareWanted.length === 0) return 'It is only white space; give the text around it too.';
  const bareLines = lines.map(bare);
  const at = bareLines.findIndex((_, index) =>
    bareWanted.every((line, offset) => bareLines[index + offset] === line),
  );
  if (at === -1) return undefined;
  return (
    `The same text with other white space (indentation, tabs, line breaks) is on line ${at + 1}: ` +
    `${quote(lines[at] ?? '')}. Copy it exactly as the file has it.`
  );
}

function explainCase(text: string, wanted: string): string | undefined {
  // Lower case may be longer or shorter than upper case: only whether it is there can be told.
  if (!toLineFeeds(text).toLowerCase().includes(toLineFeeds(wanted).toLowerCase()))
    return undefined;
  return 'The same text with other upper and lower case letters is in the file.';
}

/** The place was right and a later line has changed: names the first line that differs. */
function explainFirstLine(lines: readonly string[], wanted: readonly string[]): string | undefined {
  const firstIndex = wanted.findIndex((line) => line.trim() !== '');
  const first = wanted[firstIndex]?.trim() ?? '';
  const at = first === '' ? -1 : lines.findIndex((line) => line.trim() === first);
  if (at === -1 || wanted.length === 1) return undefined;
  let same = 1;
  while (lines[at + same]?.trim() === wanted[firstIndex + same]?.trim()) same += 1;
  const found = lines[at + same];
  const has = found === undefined ? 'the file ends there' : `the file has ${quote(found)}`;
  return `Its beginning is on line ${at + 1}, but on line ${at + same + 1} ${has}.`;
}

function quote(line: string): string {
  const clipped = clipText(line, 120);
  return JSON.stringify(clipped.length < line.length ? `${clipped}…` : clipped);
}
