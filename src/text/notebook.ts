// Reads Jupyter notebooks (.ipynb, format 4) into cells.
import { clipText } from '../core/text/clip-text.ts';
import { isRecord } from '../core/values/is-record.ts';
import { parseJson } from '../core/text/parse-json.ts';

export interface NotebookCellText {
  readonly id: string;
  readonly cellType: string;
  readonly source: string;
  readonly executionCount?: number;
  /** The outputs of the cell, as text: prints, results or its failure. */
  readonly outputText?: string;
}

/**
 * The cells in their order. Nothing in the file is trusted: parts that don't follow the format are left out, so a
 * damaged cell hides no other. Undefined if the file isn't JSON, for example because of conflict markers, or has no
 * list of cells. Of a long output only the first `maxOutputChars` are given, because it may be the dump of a data
 * set.
 */
export function parseNotebook(
  text: string,
  maxOutputChars: number,
): NotebookCellText[] | undefined {
  const notebook = parseJson(text);
  const cells = isRecord(notebook) ? notebook['cells'] : undefined;
  return Array.isArray(cells)
    ? cells.filter(isRecord).map((cell, index) => toCell(cell, index, maxOutputChars))
    : undefined;
}

function toCell(
  cell: Record<string, unknown>,
  index: number,
  maxOutputChars: number,
): NotebookCellText {
  const { id, cell_type: cellType, execution_count: count } = cell;
  const outputs = Array.isArray(cell['outputs']) ? cell['outputs'].filter(isRecord) : [];
  const outputText = outputs.map(toOutputText).filter(Boolean).join('\n');
  return {
    // Ids exist since format 4.5. In older notebooks a cell is named by its place.
    id: typeof id === 'string' ? id : `cell-${index}`,
    cellType: typeof cellType === 'string' ? cellType : 'unknown',
    source: toSourceText(cell['source']),
    ...(typeof count === 'number' && { executionCount: count }),
    ...(outputText && { outputText: clip(outputText, maxOutputChars) }),
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

function clip(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const rest = text.length - maxChars;
  return `${clipText(text, maxChars)}\n[${rest} more characters of output]`;
}

/** The format's multi-line strings: one string, or a list of its lines. */
export function toSourceText(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.filter((line) => typeof line === 'string').join('') : '';
}
