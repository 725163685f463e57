// Reads Jupyter notebooks (.ipynb, format 4) into cells.
import { clipText } from '../core/text/clip-text.ts';
import { ToolError } from '../core/errors.ts';
import { isRecord } from '../core/values/is-record.ts';

export interface NotebookCellText {
  readonly id: string;
  readonly cellType: string;
  readonly source: string;
  readonly executionCount?: number;
  /** What the cell printed, showed or failed with, as text. */
  readonly outputText?: string;
}

// One cell's output may be a data set's dump: its beginning tells what it is.
const maxOutputChars = 10_000;

/**
 * The cells in their order. Nothing in the file is trusted: what isn't as the format says is left
 * out, so a damaged cell hides no other.
 *
 * @throws ToolError `invalid-input` when the file isn't JSON, or holds no list of cells.
 */
export function parseNotebook(text: string, path: string): NotebookCellText[] {
  const notebook = parseJson(text, path);
  const cells = isRecord(notebook) ? notebook['cells'] : undefined;
  if (!Array.isArray(cells)) {
    throw new ToolError(
      `${path} has no list of cells, so it is no notebook of format 4. Read it with Repl instead.`,
      { code: 'invalid-input', data: { path } },
    );
  }
  return cells.filter(isRecord).map(toCell);
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ToolError(
      `${path} isn't valid JSON, so its cells can't be shown. Look into it with Grep or Repl.`,
      { code: 'invalid-input', data: { path }, cause },
    );
  }
}

function toCell(cell: Record<string, unknown>, index: number): NotebookCellText {
  const { id, cell_type: cellType, execution_count: count } = cell;
  const outputs = Array.isArray(cell['outputs']) ? cell['outputs'].filter(isRecord) : [];
  const outputText = outputs.map(toOutputText).filter(Boolean).join('\n');
  return {
    // Ids are there since format 4.5; before it a cell is known by its place.
    id: typeof id === 'string' ? id : `cell-${index}`,
    cellType: typeof cellType === 'string' ? cellType : 'unknown',
    source: toSourceText(cell['source']),
    ...(typeof count === 'number' && { executionCount: count }),
    ...(outputText && { outputText: clip(outputText) }),
  };
}

function toOutputText(output: Record<string, unknown>): string {
  switch (output['output_type']) {
    case 'stream':
      return toSourceText(output['text']).trimEnd();
    case 'error':
      return `${toSourceText(output['ename'])}: ${toSourceText(output['evalue'])}`;
    case 'execute_result':
    case 'display_data': {
      const data = isRecord(output['data']) ? output['data'] : {};
      const image = Object.keys(data).find((type) => type.startsWith('image/'));
      const plain = toSourceText(data['text/plain']).trimEnd();
      return image === undefined ? plain : `${plain} [${image}, not shown]`.trimStart();
    }
    default:
      return '';
  }
}

function clip(text: string): string {
  if (text.length <= maxOutputChars) return text;
  const rest = text.length - maxOutputChars;
  return `${clipText(text, maxOutputChars)}\n[${rest} more characters of output]`;
}

/** The format's multi-line strings: one string, or a list of its lines. */
export function toSourceText(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.filter((line) => typeof line === 'string').join('') : '';
}
