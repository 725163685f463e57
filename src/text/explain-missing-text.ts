// Explains why a text isn't in a file, with a hint at the nearest match. Edit's error has this explanation.
import { clipText } from '../core/text/clip-text.ts';
import { toLineFeeds } from './line-endings.ts';

/** Describes the part of `text` that is nearest to `wanted`. Never empty. */
export function explainMissingText(text: string, wanted: string): string {
  const lines = toLineFeeds(text).split('\n');
  const wantedLines = toLineFeeds(wanted).split('\n');
  return (
    explainNumbers(wantedLines) ??
    explainWhitespace(lines, wantedLines) ??
    explainCase(text, wanted) ??
    explainLookalikes(lines, wantedLines) ??
    explainFirstLine(lines, wantedLines) ??
    'Nothing in the file resembles it. Read the file to see what it says now.'
  );
}

/** Explains lines that were copied together with the line numbers of Read. */
function explainNumbers(wanted: readonly string[]): string | undefined {
  if (!wanted.every((line) => /^\s*\d+\t/.test(line))) return undefined;
  return 'It begins with line numbers: leave out the numbers and tabs that Read puts before lines.';
}

/** Explains the most frequent mistake: tabs instead of blanks, or another indentation. */
function explainWhitespace(
  lines: readonly string[],
  wanted: readonly string[],
): string | undefined {
  const bare = (line: string) => line.replace(/\s+/gu, '');
  // Blank lines at the ends would fit nearly anywhere.
  const first = wanted.findIndex((line) => bare(line) !== '');
  const last = wanted.findLastIndex((line) => bare(line) !== '');
  const shown = wanted.slice(Math.max(first, 0), last + 1);
  const bareWanted = shown.map(bare);
  if (bareWanted.length === 0) return 'It is only white space; give the text around it too.';
  // Compares one joined text each. Line by line, many equal lines would be compared again and again.
  const bareText = `\n${lines.map(bare).join('\n')}\n`;
  const place = bareText.indexOf(`\n${bareWanted.join('\n')}\n`);
  if (place === -1) return undefined;
  const at = bareText.slice(0, place).split('\n').length - 1;
  // The wanted text may begin and end within a line.
  const differs = shown.findIndex((line, offset) => {
    const has = lines[at + offset] ?? '';
    if (shown.length === 1) return !has.includes(line);
    if (offset === 0) return !has.endsWith(line);
    return offset === shown.length - 1 ? !has.startsWith(line) : has !== line;
  });
  const other = at + Math.max(differs, 0);
  return (
    `The same text with other white space (indentation, tabs, line breaks) is on line ${at + 1}` +
    `${other > at ? `, and line ${other + 1} is` : ':'} ${quote(lines[other] ?? '')}. ` +
    'Copy it exactly as the file has it.'
  );
}

/**
 * Explains characters that look alike: accented letters of one or two characters, kinds of dashes and blanks,
 * full-width forms, and invisible characters.
 */
function explainLookalikes(
  lines: readonly string[],
  wanted: readonly string[],
): string | undefined {
  const text = lines.map(foldLookalikes).join('\n');
  const sought = wanted.map(foldLookalikes).join('\n');
  const at = sought.trim() === '' ? -1 : text.indexOf(sought);
  if (at === -1) return undefined;
  const line = text.slice(0, at).split('\n').length;
  return (
    'The same text in characters that look alike, or that are not to be seen, is on line ' +
    `${line}, here with the numbers of such characters: ${quote(lines[line - 1] ?? '', lookalikes)}. ` +
    'Write the characters themselves, or change the line with Repl.'
  );
}

function foldLookalikes(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\p{Pd}|\u2212/gu, '-');
}

function explainCase(text: string, wanted: string): string | undefined {
  // Lower case may be longer or shorter than upper case, so only the presence of the text is known, not its place.
  if (!toLineFeeds(text).toLowerCase().includes(toLineFeeds(wanted).toLowerCase()))
    return undefined;
  return 'The same text with other upper and lower case letters is in the file.';
}

/** Explains a text whose first line is found: names the first line that differs. */
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

// Unusual blanks, and invisible characters.
const unseen = /[^\S ]|\p{Cf}/gu;

// Unusual blanks and invisible characters, and also dashes and combining accents.
const lookalikes = /[^\S ]|[\p{Cf}\u0300-\u036F\u2010-\u2015\u2212]/gu;

/** Writes the line as JSON, with the characters of a class by their numbers. */
function quote(line: string, numbered = unseen): string {
  const clipped = clipText(line, 120);
  const json = JSON.stringify(clipped.length < line.length ? `${clipped}…` : clipped);
  return json.replace(numbered, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
