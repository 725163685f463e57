// Converts HTML to Markdown without a DOM. The parser's events go through a stack of open elements. Each element
// collects its text, and passes it to its parent when it closes. Used for pages that the model reads.
import { Parser } from 'htmlparser2';
import { throwIfAborted } from '../core/async/abort.ts';
import { clipText } from '../core/text/clip-text.ts';
import { SdkError } from '../core/errors.ts';
import { nextTask } from '../core/async/next-task.ts';

export interface MarkdownPage {
  /** '' if the page has no title. */
  readonly title: string;
  readonly markdown: string;
  /** True if the page had more text than `maxChars`. */
  readonly isCut: boolean;
}

export interface HtmlToMarkdownOptions {
  /** The address that links are relative to. */
  readonly url: string;
  /** The most text that is kept. */
  readonly maxChars: number;
  readonly signal: AbortSignal;
}

// 64 kB: some milliseconds of parsing. The thread may be the page's own.
const sliceChars = 65_536;
// As deep as in browsers. Security: at each closing tag the parser searches the open elements, which takes time by
// their number.
const maxDepth = 512;
// The limit of WebFetch for an address. Security: the base is read again for each link.
const maxBaseChars = 2_048;
// Deeper quotes and lists aren't nested further. Security: each level adds text to each line.
const maxNesting = 8;

/**
 * Gives the text that a person would read on the page: no scripts, styles, forms and hidden parts.
 * The text isn't escaped. Yields to other work on the thread meanwhile.
 * @throws SdkError `limit-exceeded` for elements that are nested more than 512 deep, `aborted` with
 * the signal.
 */
export async function htmlToMarkdown(
  html: string,
  { url, maxChars, signal }: HtmlToMarkdownOptions,
): Promise<MarkdownPage> {
  const writer = new MarkdownWriter(url, maxChars);
  const parser = new Parser({
    onopentag: (name, attributes) => writer.open(name, attributes),
    onclosetag: () => writer.close(),
    ontext: (text) => writer.write(text),
  });
  for (let at = 0; at < html.length && !writer.isCut; at += sliceChars) {
    if (at > 0) await nextTask();
    throwIfAborted(signal);
    parser.write(html.slice(at, at + sliceChars));
  }
  parser.end();
  return writer.finish();
}

type Attributes = Readonly<Record<string, string>>;

/** Elements whose text is left out. */
const dropped: ReadonlySet<string> = new Set([
  ...['audio', 'button', 'canvas', 'datalist', 'embed', 'iframe', 'math', 'object', 'script'],
  ...['select', 'style', 'svg', 'template', 'textarea', 'video'],
]);

/** Elements that begin a new line. */
const blocks: ReadonlySet<string> = new Set([
  ...['address', 'article', 'aside', 'body', 'caption', 'center', 'dd', 'details', 'dialog', 'div'],
  ...['dl', 'dt', 'fieldset', 'figcaption', 'figure', 'footer', 'form', 'header', 'html', 'legend'],
  ...['main', 'nav', 'p', 'section', 'summary'],
]);

const marks: ReadonlyMap<string, string> = new Map([
  ['b', '**'],
  ['strong', '**'],
  ['em', '*'],
  ['i', '*'],
  ['del', '~~'],
  ['s', '~~'],
]);

const codes: ReadonlySet<string> = new Set(['code', 'kbd', 'samp', 'tt']);

/** The text of one element so far. */
class Frame {
  readonly pieces: string[] = [];
  /** The number of line ends before the next text. */
  lines = 0;
  /** True if a blank must come before the next text. */
  isSpaced = false;
  /** The element began with a blank, which belongs before it. */
  beganSpaced = false;
  /** The element holds lines of its own. */
  hasBlocks = false;
  readonly isVerbatim: boolean;

  constructor(isVerbatim = false) {
    this.isVerbatim = isVerbatim;
  }

  get isEmpty(): boolean {
    return this.pieces.length === 0;
  }

  /** Appends text after the line ends or the blank that are due. */
  append(text: string): void {
    if (this.isEmpty) this.beganSpaced = this.isSpaced;
    else if (this.lines > 0) this.pieces.push('\n'.repeat(this.lines));
    else if (this.isSpaced) this.pieces.push(' ');
    this.lines = 0;
    this.isSpaced = false;
    this.pieces.push(text);
  }

  break(lines: number): void {
    this.hasBlocks = true;
    this.lines = Math.max(this.lines, lines);
  }

  toText(): string {
    return this.pieces.join('');
  }
}

/** An open element. */
interface Element {
  readonly name: string;
  /** Left out: the element's text goes to its parent. */
  readonly frame?: Frame;
  /** Passes the frame's text to the frame around it. */
  readonly end?: (frame: Frame, outer: Frame) => void;
}

interface Table {
  readonly rows: string[][];
  /** The table has headings. Its rows belong together, whatever its cells hold. */
  hasHeadings: boolean;
}

interface List {
  readonly isOrdered: boolean;
  next: number;
}

class MarkdownWriter {
  /** The address that links are relative to: the page's, or that of its first base. */
  #url: string;
  #hasBase = false;
  readonly #maxChars: number;
  /** How many characters may still be added. */
  #room: number;
  readonly #elements: Element[] = [];
  /** The innermost frame is the last one, and collects the text. The first one is the page. */
  readonly #frames: Frame[] = [new Frame()];
  readonly #lists: List[] = [];
  /** The open tables. */
  readonly #tables: Table[] = [];
  /** The depth of an open element whose text is left out. */
  #droppedAt: number | undefined;
  #nesting = 0;
  #title = '';
  isCut = false;

  constructor(url: string, maxChars: number) {
    this.#url = url;
    this.#maxChars = maxChars;
    this.#room = maxChars;
  }

  open(name: string, attributes: Attributes): void {
    if (this.#elements.length >= maxDepth) {
      throw new SdkError(
        'limit-exceeded',
        `The page nests elements more than ${maxDepth} deep, which no reader follows.`,
        { data: { maxDepth } },
      );
    }
    const isDropped = dropped.has(name) || isHidden(attributes);
    if (isDropped) this.#droppedAt ??= this.#elements.length;
    const element = this.#droppedAt === undefined ? this.#begin(name, attributes) : { name };
    this.#elements.push(element);
    if (element.frame) this.#frames.push(element.frame);
  }

  close(): void {
    const element = this.#elements.pop();
    if (!element) return;
    if (this.#droppedAt !== undefined) {
      if (this.#elements.length <= this.#droppedAt) this.#droppedAt = undefined;
      return;
    }
    const { name, frame, end } = element;
    if (frame) {
      this.#frames.pop();
      end?.(frame, this.#frame());
    }
    if (blocks.has(name)) this.#frame().break(2);
    if (isList(name)) {
      this.#lists.pop();
      this.#frame().break(this.#lists.length > 0 ? 1 : 2);
    }
  }

  write(text: string): void {
    if (this.#droppedAt !== undefined || this.isCut) return;
    const frame = this.#frame();
    const kept = text.slice(0, this.#room);
    this.#room -= kept.length;
    this.isCut = kept.length < text.length;
    if (frame.isVerbatim) {
      frame.append(kept);
      return;
    }
    const words = kept.trim().replace(/\s+/gu, ' ');
    if (/^\s/u.test(kept)) frame.isSpaced = true;
    if (words === '') return;
    frame.append(words);
    frame.isSpaced = /\s$/u.test(kept);
  }

  finish(): MarkdownPage {
    const text = this.#frame().toText().trim();
    // Quotes and lists have added text before each line, so it is cut again.
    const markdown = clipText(text, this.#maxChars);
    const isCut = this.isCut || markdown.length < text.length;
    return { title: this.#title, markdown, isCut };
  }

  #frame(): Frame {
    return this.#frames.at(-1) as Frame;
  }

  /** Security: code within code gets no marks, because each level would need more backticks than the one inside. */
  #isInCode(): boolean {
    return this.#elements.some((element) => element.frame && codes.has(element.name));
  }

  /** Counts an address towards the limit of the page's text. */
  #address(text: string | undefined): string | undefined {
    if (!text || text.startsWith('#') || !URL.canParse(text, this.#url)) return undefined;
    const { protocol, href } = new URL(text, this.#url);
    if (!['http:', 'https:', 'mailto:'].includes(protocol) || href.length > this.#room) {
      return undefined;
    }
    this.#room -= href.length;
    return href;
  }

  #begin(name: string, attributes: Attributes): Element {
    const outer = this.#frame();
    // Within code only text is kept.
    if (outer.isVerbatim) {
      if (name === 'br') outer.append('\n');
      return { name };
    }
    if (blocks.has(name)) {
      outer.break(2);
      return { name };
    }
    if (isList(name)) {
      outer.break(this.#lists.length > 0 ? 1 : 2);
      const start = Number.parseInt(attributes['start'] ?? '', 10);
      this.#lists.push({ isOrdered: name === 'ol', next: Number.isNaN(start) ? 1 : start });
      return { name };
    }
    const mark = marks.get(name);
    if (mark !== undefined) return inline(name, (text) => `${mark}${text}${mark}`);
    if (codes.has(name)) return this.#isInCode() ? { name } : inline(name, fenceInline);
    if (/^h[1-6]$/u.test(name)) {
      return block(name, (text) => `${'#'.repeat(Number(name[1]))} ${toLine(text)}`);
    }
    switch (name) {
      case 'a': {
        const href = this.#address(attributes['href']);
        if (href === undefined) return inline(name, (text) => text);
        return inline(
          name,
          (text) => `[${toLine(text)}](${href})`,
          (text) => `${text}\n\n<${href}>`,
        );
      }
      case 'base':
        this.#rebase(attributes['href']);
        return { name };
      case 'blockquote':
        return this.#nested(name, (text) => prefixLines(text, '> ', '> '));
      case 'br':
        outer.break(Math.min(2, outer.lines + 1));
        return { name };
      case 'hr':
        outer.break(2);
        outer.append('---');
        outer.break(2);
        return { name };
      case 'img':
        this.#image(attributes, outer);
        return { name };
      case 'li': {
        const list = this.#lists.at(-1);
        const marker = list?.isOrdered ? `${list.next++}. ` : '- ';
        return this.#nested(
          name,
          (text) => prefixLines(text, marker, ' '.repeat(marker.length)),
          1,
        );
      }
      case 'pre':
        return {
          name,
          frame: new Frame(true),
          end: (frame, around) => addBlock(around, fence(frame.toText())),
        };
      case 'table':
        return this.#table();
      case 'td':
      case 'th':
        return this.#cell(name);
      case 'title':
        return {
          name,
          frame: new Frame(),
          end: (frame) => {
            this.#title ||= toLine(frame.toText());
          },
        };
      case 'tr':
        this.#tables.at(-1)?.rows.push([]);
        return { name };
      default:
        return { name };
    }
  }

  #rebase(href: string | undefined): void {
    if (this.#hasBase || href === undefined || !URL.canParse(href, this.#url)) return;
    this.#hasBase = true;
    const base = new URL(href, this.#url).href;
    if (base.length <= maxBaseChars) this.#url = base;
  }

  #image({ alt = '', src }: Attributes, outer: Frame): void {
    const words = alt.trim().slice(0, this.#room);
    if (words === '') return;
    this.#room -= words.length;
    const href = this.#address(src);
    outer.append(href === undefined ? toLine(words) : `![${toLine(words)}](${href})`);
  }

  /** A block whose lines get marks before them, as deep as nesting is shown. */
  #nested(name: string, format: (text: string) => string, lines = 2): Element {
    if (this.#nesting >= maxNesting) {
      return block(name, (text) => text, lines);
    }
    this.#nesting += 1;
    return {
      name,
      frame: new Frame(),
      end: (frame, outer) => {
        this.#nesting -= 1;
        addBlock(outer, format(frame.toText()), lines);
      },
    };
  }

  #table(): Element {
    const table: Table = { rows: [], hasHeadings: false };
    this.#tables.push(table);
    return {
      name: 'table',
      frame: new Frame(),
      end: (frame, outer) => {
        this.#tables.pop();
        const rows = table.rows.filter((row) => row.some((cell) => cell !== ''));
        addBlock(outer, frame.toText());
        addBlock(outer, formatRows(rows, table.hasHeadings));
      },
    };
  }

  #cell(name: string): Element {
    const table = this.#tables.at(-1);
    if (!table) return { name };
    const { rows } = table;
    if (name === 'th') table.hasHeadings = true;
    return {
      name,
      frame: new Frame(),
      end: (frame) => {
        if (rows.length === 0) rows.push([]);
        rows.at(-1)?.push(frame.toText());
      },
    };
  }
}

const isList = (name: string) => name === 'ul' || name === 'ol' || name === 'menu';

// Security: parts of a page that a person doesn't see must not speak to the model.
function isHidden(attributes: Attributes): boolean {
  return (
    attributes['hidden'] !== undefined ||
    attributes['aria-hidden'] === 'true' ||
    /(?:display\s*:\s*none|visibility\s*:\s*hidden)/iu.test(attributes['style'] ?? '')
  );
}

/**
 * Puts marks around a run of text. A run with lines of its own stays as it is, unless
 * `formatBlocks` says otherwise.
 */
function inline(
  name: string,
  format: (text: string) => string,
  formatBlocks = (text: string) => text,
): Element {
  return {
    name,
    frame: new Frame(),
    end: (frame, outer) => {
      if (frame.beganSpaced) outer.isSpaced = true;
      if (frame.isEmpty) {
        outer.isSpaced ||= frame.isSpaced;
        return;
      }
      const text = frame.toText();
      if (frame.hasBlocks && text.includes('\n')) addBlock(outer, formatBlocks(text));
      else outer.append(format(text));
      outer.isSpaced = frame.isSpaced;
    },
  };
}

function block(name: string, format: (text: string) => string, lines = 2): Element {
  return {
    name,
    frame: new Frame(),
    end: (frame, outer) => {
      if (!frame.isEmpty) addBlock(outer, format(frame.toText()), lines);
    },
  };
}

function addBlock(outer: Frame, text: string, lines = 2): void {
  if (text === '') return;
  outer.break(lines);
  outer.append(text);
  outer.break(lines);
}

function toLine(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}

function prefixLines(text: string, first: string, others: string): string {
  return text
    .split('\n')
    .map((line, at) => `${at === 0 ? first : others}${line}`.trimEnd())
    .join('\n');
}

/** More backticks than the longest run of them in the text. */
function ticksFor(text: string, least: number): string {
  const runs = text.match(/`+/gu) ?? [];
  const longest = runs.reduce((most, run) => Math.max(most, run.length), 0);
  return '`'.repeat(Math.max(least, longest + 1));
}

function fenceInline(text: string): string {
  const ticks = ticksFor(text, 1);
  return ticks.length > 1 ? `${ticks} ${text} ${ticks}` : `${ticks}${text}${ticks}`;
}

function fence(text: string): string {
  // Two steps instead of one pattern, which would go back at each blank of a long run.
  const code = text.replace(/^\n/u, '').trimEnd();
  if (code === '') return '';
  const ticks = ticksFor(code, 3);
  return `${ticks}\n${code}\n${ticks}`;
}

/**
 * Formats a table. A layout table, whose cells hold lines or stand alone, is text one after the other. A table with
 * headings is a data table, in whose cells `<br>` separates lines.
 */
function formatRows(rows: readonly (readonly string[])[], hasHeadings: boolean): string {
  const isLayout = !hasHeadings && rows.some((row) => row.some((cell) => cell.includes('\n')));
  if (isLayout || rows.every((row) => row.length < 2)) {
    return rows.flatMap((row) => row.filter((cell) => cell !== '')).join('\n\n');
  }
  const toRow = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replace(/\n+/gu, '<br>')).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [toRow(head), toRow(head.map(() => '---')), ...body.map(toRow)].join('\n');
}
