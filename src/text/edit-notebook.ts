// Replaces, inserts or removes one cell of a Jupyter notebook (.ipynb, format 4). It edits the
// notebook's text, so that all other cells stay byte for byte. notebook.ts reads cells.
import { ToolError } from '../core/errors.ts';
import { isRecord } from '../core/values/is-record.ts';
import { findArray, findMembers } from './json-spans.ts';
import type { ArraySpans, Span } from './json-spans.ts';
import { toSourceText } from './notebook.ts';

/** The requested change. Line ends of `source` are `\n`. */
export interface NotebookChange {
  readonly mode: 'replace' | 'insert' | 'delete';
  /** The cell's id, or its place as `cell-<number from 0>` if it has no id. */
  readonly cellId?: string;
  readonly cellType?: 'code' | 'markdown';
  readonly source: string;
}

/** The text after the change, and facts about the cell for a person. */
export interface EditedNotebook {
  readonly text: string;
  readonly cellId: string;
  readonly cellType: string;
  /** The source before. Undefined for a new cell. */
  readonly oldSource: string | undefined;
  /** The language of the notebook's code. */
  readonly language: string;
}

type Json = Readonly<Record<string, unknown>>;

interface Cell extends Span {
  readonly id: string;
  readonly json: Json;
}

interface Notebook {
  readonly text: string;
  readonly path: string;
  readonly json: Json;
  readonly array: ArraySpans;
  readonly cells: readonly Cell[];
}

/**
 * Makes the change. `text` keeps its line ends and its indentation.
 *
 * @throws ToolError `invalid-input` for a text that isn't such a notebook, an unknown cell, or an incomplete change
 */
export function editNotebook(text: string, path: string, change: NotebookChange): EditedNotebook {
  const notebook = openNotebook(text, path);
  const language = findLanguage(notebook.json);
  switch (change.mode) {
    case 'insert':
      return { ...insert(notebook, change), language };
    case 'replace':
      return { ...replace(notebook, change), language };
    case 'delete':
      return { ...remove(notebook, change), language };
  }
}

type Edit = Omit<EditedNotebook, 'language'>;

function replace(notebook: Notebook, change: NotebookChange): Edit {
  const { text } = notebook;
  const cell = findCell(notebook, change);
  const cellType = typeOf(cell, notebook, change);
  // Members keep their order. Unchanged ones stay as they are written: metadata may hold large
  // numbers.
  const members = new Map<string, string>();
  for (const [name, { start, end }] of findMembers(text, cell.start)) {
    members.set(name, text.slice(start, end));
  }
  const set = (name: string, value: unknown) =>
    members.set(name, writeMember(name, value, notebook));
  set('cell_type', cellType);
  set('source', toSource(change.source, typeof cell.json['source'] === 'string'));
  if (cellType === 'code') {
    // The old source's output doesn't belong to the new one.
    set('execution_count', null);
    set('outputs', []);
    // A code cell can't have attachments.
    members.delete('attachments');
  } else {
    members.delete('execution_count');
    members.delete('outputs');
  }
  return {
    text: splice(text, cell, writeCell(members.values(), notebook)),
    cellId: cell.id,
    cellType,
    oldSource: toSourceText(cell.json['source']),
  };
}

function insert(notebook: Notebook, change: NotebookChange): Edit {
  const { cells, array, text } = notebook;
  const { cellType } = change;
  if (!cellType) {
    throw refuse(notebook, 'a new cell needs cell_type: say "code" or "markdown"');
  }
  const before = change.cellId === undefined ? undefined : findCell(notebook, change);
  const id = hasIds(notebook) ? createCellId(cells) : undefined;
  // In the order in which Jupyter writes them.
  const json = {
    cell_type: cellType,
    ...(cellType === 'code' && { execution_count: null }),
    ...(id !== undefined && { id }),
    metadata: {},
    ...(cellType === 'code' && { outputs: [] }),
    source: toSource(change.source, false),
  };
  const members = Object.entries(json).map(([name, value]) => writeMember(name, value, notebook));
  const written = writeCell(members, notebook);
  const gap = indentOf(notebook);
  const [first] = array.items;
  const place = before ? cells.indexOf(before) + 1 : 0;
  return {
    text: before
      ? splice(text, { start: before.end, end: before.end }, `,${gap}${written}`)
      : first
        ? splice(text, { start: first.start, end: first.start }, `${written},${gap}`)
        : splice(text, array, `[${gap}${written}${gap.replace(unitOf(notebook), '')}]`),
    cellId: id ?? `cell-${place}`,
    cellType,
    oldSource: undefined,
  };
}

/** Removes the cell with the comma between it and its neighbour. */
function remove(notebook: Notebook, change: NotebookChange): Edit {
  const { text, array } = notebook;
  const cell = findCell(notebook, change);
  const at = array.items.findIndex(({ start }) => start === cell.start);
  const previous = array.items[at - 1];
  const next = array.items[at + 1];
  const span = previous
    ? { start: previous.end, end: cell.end }
    : next
      ? { start: cell.start, end: next.start }
      : { start: array.start + 1, end: array.end - 1 };
  return {
    text: splice(text, span, ''),
    cellId: cell.id,
    cellType: typeOf(cell, notebook, change),
    oldSource: toSourceText(cell.json['source']),
  };
}

function openNotebook(text: string, path: string): Notebook {
  const json = parse(text, path);
  const array = findArray(text, 'cells');
  if (!isRecord(json) || !array) {
    throw new ToolError(
      `${path} has no list of cells, so it is no notebook of format 4. Change it with Repl.`,
      { code: 'invalid-input', data: { path } },
    );
  }
  const cells = array.items
    .map((span) => ({ ...span, json: JSON.parse(text.slice(span.start, span.end)) as unknown }))
    .filter((cell): cell is Span & { json: Json } => isRecord(cell.json))
    // The names that Read gives them.
    .map((cell, at) => {
      const { id } = cell.json;
      return { ...cell, id: typeof id === 'string' ? id : `cell-${at}` };
    });
  return { text, path, json, array, cells };
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ToolError(
      `${path} isn't valid JSON, so its cells can't be told apart. Mend its text with Edit first.`,
      { code: 'invalid-input', data: { path }, cause },
    );
  }
}

function findCell(notebook: Notebook, { cellId }: NotebookChange): Cell {
  const { cells } = notebook;
  const known = cells.map(({ id }) => id);
  const names = known.slice(0, maxNamed).join(', ') + (known.length > maxNamed ? ', …' : '');
  if (cellId === undefined) {
    throw refuse(notebook, `cell_id is needed to say which cell is meant. It has ${names}`);
  }
  const found = cells.filter(({ id }) => id === cellId);
  const [cell] = found;
  if (cell && found.length === 1) return cell;
  const why = cell ? `${found.length} cells have the id` : 'no cell has the id';
  throw refuse(notebook, `${why} ${cellId}. It has ${names || 'no cells'}`);
}

/** The cell type in the change, or else the cell's own. */
function typeOf({ id, json }: Cell, notebook: Notebook, change: NotebookChange): string {
  const cellType = change.cellType ?? json['cell_type'];
  if (typeof cellType === 'string') return cellType;
  throw refuse(notebook, `the cell ${id} has no cell_type: say cell_type, "code" or "markdown"`);
}

// An error lists this number of cells: enough to see a mistake.
const maxNamed = 20;

function refuse({ path }: Notebook, why: string): ToolError {
  return new ToolError(`${path} can't be edited so: ${why}.`, {
    code: 'invalid-input',
    data: { path },
  });
}

/** Cells have ids since format 4.5. */
function hasIds({ json, cells }: Notebook): boolean {
  const isNew = json['nbformat'] === 4 && Number(json['nbformat_minor']) >= 5;
  return isNew || cells.some((cell) => typeof cell.json['id'] === 'string');
}

/** Eight letters and digits, as Jupyter makes them. */
function createCellId(cells: readonly Cell[]): string {
  const id = crypto.randomUUID().slice(0, 8);
  return cells.some((cell) => cell.id === id) ? createCellId(cells) : id;
}

function findLanguage({ metadata }: Json): string {
  const { language_info: info, kernelspec: kernel } = isRecord(metadata) ? metadata : {};
  const names = [isRecord(info) && info['name'], isRecord(kernel) && kernel['language'], 'python'];
  return names.find((name) => typeof name === 'string') ?? '';
}

/** The format's multi-line string: a list of lines with their ends, or one string if the cell had one before. */
function toSource(source: string, isOneString: boolean): string | string[] {
  if (isOneString) return source;
  return source.split(/(?<=\n)/u).filter((line) => line !== '');
}

/** The cell's JSON, indented like the other cells, or on one line. */
function writeCell(members: Iterable<string>, notebook: Notebook): string {
  const gap = indentOf(notebook);
  const memberGap = memberGapOf(notebook);
  return `{${memberGap}${[...members].join(`,${memberGap}`)}${gap}}`;
}

/** A member of a cell, without the text around it. */
function writeMember(name: string, value: unknown, notebook: Notebook): string {
  const gap = memberGapOf(notebook);
  if (gap === '') return `${JSON.stringify(name)}:${JSON.stringify(value)}`;
  const written = JSON.stringify(value, null, unitOf(notebook)).replaceAll('\n', gap);
  return `${JSON.stringify(name)}: ${written}`;
}

/** The text before a member of a cell. */
function memberGapOf(notebook: Notebook): string {
  const gap = indentOf(notebook);
  return gap === '' ? '' : gap + unitOf(notebook);
}

/** The text before a cell: a line end and the indentation, or nothing in a text of one line. */
function indentOf({ text, array }: Pick<Notebook, 'text' | 'array'>): string {
  const [first] = array.items;
  if (first) return /\r?\n[ \t]*$/u.exec(text.slice(array.start + 1, first.start))?.[0] ?? '';
  const lineEnd = /\r?\n/u.exec(text.trimEnd())?.[0];
  return lineEnd === undefined ? '' : lineEnd + unitOf({ text }).repeat(2);
}

/** One step of indentation, as before the notebook's first member. Jupyter uses one blank. */
function unitOf({ text }: Pick<Notebook, 'text'>): string {
  return /^\s*\{\r?\n([ \t]+)/u.exec(text)?.[1] ?? ' ';
}

function splice(text: string, { start, end }: Span, replacement: string): string {
  return text.slice(0, start) + replacement + text.slice(end);
}
