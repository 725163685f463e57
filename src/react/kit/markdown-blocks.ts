// Parses the block structure of the Markdown that models write: fences, headings, lists, tables,
// quotes (whose text has blocks itself), rules and paragraphs. HTML and reference links stay text.

export type MarkdownBlock =
  | { readonly kind: 'code'; readonly text: string; readonly language: string }
  | { readonly kind: 'paragraph' | 'quote'; readonly text: string }
  | { readonly kind: 'heading'; readonly text: string; readonly level: number }
  | { readonly kind: 'bullets'; readonly items: readonly string[] }
  | { readonly kind: 'numbers'; readonly items: readonly string[]; readonly start: number }
  | {
      readonly kind: 'table';
      readonly align: readonly TableAlign[];
      readonly head: readonly string[];
      /** Each row is as long as the head. */
      readonly rows: readonly (readonly string[])[];
    }
  | { readonly kind: 'rule' };

/** The alignment of a column, `start` by default. */
export type TableAlign = 'start' | 'center' | 'end';

// A line of backticks with more backticks behind them is a paragraph with code in it.
const fence = /^ {0,3}(```+(?!`)(?!.*`)|~~~+)\s*([\w.+-]*)/;
const item = /^ {0,3}(?:[-*+]|(\d{1,9})[.)])\s+/;
/** A fence within a list's item, also right behind the item's marker. */
const itemFence = /^(?:(?:[-*+]|\d{1,9}[.)])\s+)?(```+(?!`)(?!.*`)|~~~+)/;
const heading = /^ {0,3}(#{1,6})\s+/;
/** The marks that may close a heading's line. */
const headingEnd = /(?:^|\s)#+$/;
/**
 * A line that makes a heading of the line above it. It has at least two characters, because one may be the beginning
 * of something else.
 */
const underline = /^ {0,3}(?:={2,}|-{3,})\s*$/;
const rule = /^ {0,3}(?:-{3,}|\*{3,}|_{3,})\s*$/;
const quote = /^ {0,3}>/;

/**
 * The text's blocks in their order, without the blank lines between them. Appending to the text
 * changes only the last block, or adds new ones. That makes streaming cheap to show.
 */
export function splitBlocks(text: string): string[] {
  const blocks: string[] = [];
  let lines: string[] = [];
  let openFence = '';
  // Security: the opening is determined once for each block. If it were determined again for each line, a long text
  // would take time by its length squared.
  let opening = nothing;
  let isTable = false;
  const add = (line: string) => {
    lines.push(line);
    const [first = ''] = lines;
    if (lines.length === 1) opening = readOpening(first);
    if (lines.length === 2) isTable = isProse(opening) && startsTable(first, line);
  };
  const flush = () => {
    // A list keeps blank lines until it is known whether it goes on below them.
    while (lines.at(-1) === '') lines.pop();
    if (lines.length > 0) blocks.push(lines.join('\n'));
    lines = [];
    opening = nothing;
    isTable = false;
  };
  for (const line of text.split('\n')) {
    const { isList } = opening;
    const isBelowBlank = isList && lines.at(-1) === '';
    if (openFence !== '') {
      add(line);
      if (!closesFence(line, openFence)) continue;
      openFence = '';
      if (!isList) flush();
    } else if (line.trim() === '') {
      if (isList) add('');
      else flush();
    } else if (isList && !endsList(opening, line, isBelowBlank)) {
      openFence = findItemFence(line);
      add(line);
    } else if (fence.test(line)) {
      flush();
      openFence = fence.exec(line)?.[1] ?? '';
      add(line);
    } else {
      const head = lines.at(-1) ?? '';
      if (lines.length === 1 && isUnderline(head, line)) {
        add(line);
        flush();
        continue;
      }
      if (lines.length > 1 && isProse(opening) && startsTable(head, line)) {
        // The line above belongs to the table, but not the lines above that one.
        lines.pop();
        flush();
        add(head);
      } else if (isList || startsBlock(opening, line) || (isTable && !line.includes('|'))) flush();
      if (item.test(line)) openFence = findItemFence(line);
      add(line);
    }
  }
  flush();
  return blocks;
}

/** What a block's first line says about the block. */
interface Opening {
  readonly isList: boolean;
  readonly isNumbered: boolean;
  readonly isQuote: boolean;
  /** True for a heading and for a rule, which end with their line. */
  readonly isWhole: boolean;
}

const nothing: Opening = { isList: false, isNumbered: false, isQuote: false, isWhole: false };

function readOpening(first: string): Opening {
  const marker = item.exec(first);
  return {
    isList: marker !== null,
    isNumbered: isNumber(marker),
    isQuote: quote.test(first),
    isWhole: heading.test(first) || rule.test(first),
  };
}

function findItemFence(line: string): string {
  return itemFence.exec(line.trimStart())?.[1] ?? '';
}

/** A fence ends at one of its own kind that is as long, or longer. */
function closesFence(line: string, opening: string): boolean {
  const bare = line.trim();
  return bare.startsWith(opening) && /^(?:`+|~+)$/.test(bare);
}

/**
 * True if `line` is outside of the list that begins so. Below a blank line only indented lines are
 * inside.
 */
function endsList({ isNumbered }: Opening, line: string, isBelowBlank: boolean): boolean {
  if (isIndented(line)) return false;
  const marker = item.exec(line);
  if (marker) return isNumber(marker) !== isNumbered;
  return isBelowBlank || heading.test(line) || rule.test(line) || quote.test(line);
}

/** True if the line is indented so far that it belongs to the item above it. */
function isIndented(line: string): boolean {
  return /^(?: {2}|\t)/.test(line);
}

function isNumber(marker: RegExpExecArray | null): boolean {
  return marker?.[1] !== undefined;
}

/** True if `line` begins a block of its own right below a block that begins so. */
function startsBlock({ isQuote, isWhole }: Opening, line: string): boolean {
  if (isWhole || heading.test(line) || rule.test(line)) return true;
  return quote.test(line) !== isQuote || item.test(line);
}

/**
 * True if `line` makes a heading of `above`, the only line of its paragraph. Below a row of cells
 * dashes are the beginning of a table.
 */
function isUnderline(above: string, line: string): boolean {
  if (!underline.test(line)) return false;
  const opening = readOpening(above);
  if (!isProse(opening) || opening.isWhole) return false;
  return !(above.includes('|') && line.includes('-'));
}

/** True for prose. Lists and quotes have their lines to themselves. */
function isProse({ isList, isQuote }: Opening): boolean {
  return !isList && !isQuote;
}

/**
 * True if `line` is the row of dashes below the head of a table. Both have the same number of
 * cells.
 */
function startsTable(head: string, line: string): boolean {
  if (!head.includes('|') || !line.includes('|')) return false;
  const dashes = splitRow(line);
  return dashes.length === splitRow(head).length && dashes.every((cell) => dash.test(cell));
}

const dash = /^:?-+:?$/;

/** The cells of a row, without the bars. A bar with a backslash before it is text. */
function splitRow(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function toAlign(cell: string): TableAlign {
  if (!cell.endsWith(':')) return 'start';
  return cell.startsWith(':') ? 'center' : 'end';
}

function parseTable([first = '', dashes = '', ...others]: readonly string[]): MarkdownBlock {
  const head = splitRow(first);
  const rows = others.map((line) => {
    const cells = splitRow(line);
    return head.map((_, column) => cells[column] ?? '');
  });
  return { kind: 'table', align: splitRow(dashes).map(toAlign), head, rows };
}

/** Parses one block. */
export function parseBlock(source: string): MarkdownBlock {
  const lines = source.split('\n');
  const first = lines[0] ?? '';
  const fenced = fence.exec(first);
  if (fenced) {
    const isClosed = lines.length > 1 && closesFence(lines.at(-1) ?? '', fenced[1] ?? '');
    const text = lines.slice(1, isClosed ? -1 : undefined).join('\n');
    return { kind: 'code', text, language: fenced[2] ?? '' };
  }
  if (rule.test(first)) return { kind: 'rule' };
  const marks = heading.exec(first);
  if (marks) {
    const text = first.slice(marks[0].length).trimEnd().replace(headingEnd, '');
    return { kind: 'heading', text, level: marks[1]?.length ?? 1 };
  }
  if (lines.length === 2 && isUnderline(first, lines[1] ?? '')) {
    return { kind: 'heading', text: first.trim(), level: lines[1]?.includes('=') ? 1 : 2 };
  }
  if (quote.test(first)) {
    return { kind: 'quote', text: lines.map((line) => line.replace(/^ {0,3}> ?/, '')).join('\n') };
  }
  const marker = item.exec(first);
  if (!marker && startsTable(first, lines[1] ?? '')) return parseTable(lines);
  if (!marker) return { kind: 'paragraph', text: source };
  const items = splitItems(lines);
  if (marker[1] === undefined) return { kind: 'bullets', items };
  return { kind: 'numbers', items, start: Number(marker[1]) };
}

/** Splits a list into items. Lines below an item's marker belong to it, without the indent. */
function splitItems(lines: readonly string[]): string[] {
  const items: string[][] = [];
  let openFence = '';
  for (const line of lines) {
    const marker = openFence === '' && !(items.length > 0 && isIndented(line)) && item.exec(line);
    if (marker) items.push([line.slice(marker[0].length)]);
    else items.at(-1)?.push(line);
    if (openFence === '') openFence = findItemFence(line);
    else if (closesFence(line, openFence)) openFence = '';
  }
  return items.map(([first = '', ...below]) => [first, ...outdent(below)].join('\n').trimEnd());
}

/** Takes the indent off that the least indented line has, not counting lines without an indent. */
function outdent(lines: readonly string[]): string[] {
  const spaced = lines.map((line) =>
    line.replace(/^[ \t]+/, (run) => run.replaceAll('\t', '    ')),
  );
  const indents = spaced.map(indentOf).filter((indent) => indent > 0);
  const [first = ''] = spaced.filter((line) => line !== '');
  // The lines of a fence that isn't indented stay as they are.
  const width =
    fence.test(first) && indentOf(first) === 0
      ? 0
      : indents.reduce((least, one) => Math.min(least, one), Infinity);
  return spaced.map((line) => line.slice(Math.min(width, indentOf(line))));
}

function indentOf(line: string): number {
  return Math.max(0, line.search(/\S/));
}
