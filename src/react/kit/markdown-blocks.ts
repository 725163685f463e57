// Parses the block structure of the Markdown that models write: fences, headings, lists, tables,
// quotes, rules and paragraphs. HTML and reference links stay text.

export type MarkdownBlock =
  | { readonly kind: 'code'; readonly text: string; readonly language: string }
  | { readonly kind: 'heading' | 'paragraph' | 'quote'; readonly text: string }
  | { readonly kind: 'bullets'; readonly items: readonly string[] }
  | { readonly kind: 'numbers'; readonly items: readonly string[]; readonly start: number }
  | {
      readonly kind: 'table';
      readonly align: readonly TableAlign[];
      readonly head: readonly string[];
      /** Each as long as the head. */
      readonly rows: readonly (readonly string[])[];
    }
  | { readonly kind: 'rule' };

/** Of a column; `start` where nothing is said. */
export type TableAlign = 'start' | 'center' | 'end';

const fence = /^ {0,3}(```+|~~~+)\s*([\w.+-]*)/;
const item = /^ {0,3}(?:[-*+]|(\d{1,9})[.)])\s+/;
const heading = /^ {0,3}#{1,6}\s+/;
const rule = /^ {0,3}(?:-{3,}|\*{3,}|_{3,})\s*$/;
const quote = /^ {0,3}>/;

/**
 * The text's blocks as they stand in it, without the blank lines between them. Appending to the
 * text changes only the last block, or adds new ones: that is what makes streaming cheap to show.
 */
export function splitBlocks(text: string): string[] {
  const blocks: string[] = [];
  let lines: string[] = [];
  let openFence = '';
  const flush = () => {
    if (lines.length > 0) blocks.push(lines.join('\n'));
    lines = [];
  };
  for (const line of text.split('\n')) {
    const first = lines[0] ?? '';
    if (openFence !== '') {
      lines.push(line);
      if (line.trim() === openFence) {
        openFence = '';
        flush();
      }
    } else if (fence.test(line) && !item.test(first)) {
      flush();
      openFence = fence.exec(line)?.[1] ?? '';
      lines.push(line);
    } else if (line.trim() === '') {
      flush();
    } else {
      const head = lines.at(-1) ?? '';
      if (lines.length > 1 && isProse(first) && startsTable(head, line)) {
        // The line above belongs to the table, what stands above that doesn't.
        lines.pop();
        flush();
        lines.push(head);
      } else if (startsBlock(first, line) || endsTable(lines, line)) flush();
      lines.push(line);
    }
  }
  flush();
  return blocks;
}

/** Does `line` begin a block of its own right below one that begins with `first`? */
function startsBlock(first: string, line: string): boolean {
  if (first === '') return false;
  if (heading.test(line) || heading.test(first) || rule.test(line) || rule.test(first)) return true;
  if (quote.test(line) !== quote.test(first)) return true;
  return item.test(line) && !item.test(first);
}

/** Neither a list's nor a quote's: those have their lines to themselves. */
function isProse(first: string): boolean {
  return !item.test(first) && !quote.test(first);
}

/** Is `line` the row of dashes below the head of a table? Both have the same number of cells. */
function startsTable(head: string, line: string): boolean {
  if (!head.includes('|') || !line.includes('|')) return false;
  const dashes = splitRow(line);
  return dashes.length === splitRow(head).length && dashes.every((cell) => dash.test(cell));
}

/** A line without a bar ends a table, as a blank one does. */
function endsTable(lines: readonly string[], line: string): boolean {
  const [head = '', dashes = ''] = lines;
  return !line.includes('|') && isProse(head) && startsTable(head, dashes);
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

/** One block, understood. */
export function parseBlock(source: string): MarkdownBlock {
  const lines = source.split('\n');
  const first = lines[0] ?? '';
  const fenced = fence.exec(first);
  if (fenced) {
    const isClosed = lines.length > 1 && lines.at(-1)?.trim() === fenced[1];
    const text = lines.slice(1, isClosed ? -1 : undefined).join('\n');
    return { kind: 'code', text, language: fenced[2] ?? '' };
  }
  if (rule.test(first)) return { kind: 'rule' };
  if (heading.test(first)) return { kind: 'heading', text: first.replace(heading, '') };
  if (quote.test(first)) {
    return { kind: 'quote', text: lines.map((line) => line.replace(/^[ >]+/, '')).join('\n') };
  }
  const marker = item.exec(first);
  if (!marker && startsTable(first, lines[1] ?? '')) return parseTable(lines);
  if (!marker) return { kind: 'paragraph', text: source };
  const items = splitItems(lines);
  if (marker[1] === undefined) return { kind: 'bullets', items };
  return { kind: 'numbers', items, start: Number(marker[1]) };
}

/** Lines that are indented deeper than their item's marker belong to it, without that indent. */
function splitItems(lines: readonly string[]): string[] {
  const items: string[] = [];
  for (const line of lines) {
    const marker = item.exec(line);
    if (marker && (items.length === 0 || !/^ {2,}/.test(line))) {
      items.push(line.slice(marker[0].length));
    } else {
      items.push(`${items.pop() ?? ''}\n${line.replace(/^ {1,4}/, '')}`);
    }
  }
  return items;
}
