// The definition of the tool Read: its permissions, its display texts, and its output for the
// model. It runs on the agent's thread, so it reads no file; worker.ts does. It is the example for
// other tools, which have the same five files with the same parts in this order.
import type { ImageBlock, TextBlock, ToolResultBlock } from '../../core/messages/blocks.ts';
import { extname } from '../../core/path.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import { toSummary } from '../../core/tool/summary.ts';
import { toValidation } from '../../core/tool/validation.ts';
import { readDescription, readPrompt, readToolName } from './prompt.ts';
import {
  parsePages,
  readInputSchema,
  readOutputSchema,
  type NotebookCell,
  type ReadInput,
  type ReadImageOutput,
  type ReadOutput,
  type ReadPdfOutput,
  type ReadTextOutput,
} from './schema.ts';

export const readTool = buildTool({
  name: readToolName,
  searchHint: 'read files, images, PDFs and notebooks',
  // Getters, so that a schema is built at first use and not when this file is loaded.
  get inputSchema() {
    return readInputSchema();
  },
  get outputSchema() {
    return readOutputSchema();
  },
  runsIn: 'worker',

  // With an input it is the sentence of the permission question, without one the description for
  // the API. The description must not vary between requests, because the prompt cache begins with
  // it.
  description: (input) =>
    Promise.resolve(input ? `Read ${input.file_path}${describeRange(input)}` : readDescription),
  prompt: () => Promise.resolve(readPrompt),

  // Checks that the schema can't express. They run before permission questions, so that nobody is
  // asked about an invalid call.
  validateInput: ({ pages }) => {
    const range = pages === undefined ? undefined : parsePages(pages);
    return toValidation(typeof range === 'string' ? range : undefined);
  },
  // Rules such as Read(src/**) are compared with this path. The worker's file system checks the
  // real path again, with links followed.
  getPath: (input) => input.file_path,

  // Both default to false: then every Read would ask and run alone.
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  isSearchOrReadCommand: () => ({ isSearch: false, isRead: true }),

  // For people. The input may still be streaming, so any field may be missing.
  userFacingName: () => 'Read',
  getToolUseSummary: (input) => (input.file_path ? toSummary(input.file_path, 'end') : null),
  getActivityDescription: (input) =>
    input.file_path ? `Reading ${input.file_path}${describeRange(input)}` : null,

  // The model would have to read a spilled result again, so the worker returns pages instead.
  maxResultSizeChars: Infinity,
  tellRest: (output, shownLines) =>
    output.type === 'text'
      ? `Read on with offset: ${output.file.startLine + Math.min(shownLines, output.file.numLines)}.`
      : 'Read it again in a message of its own, or take it apart with Grep or Repl.',
  mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: toContent(output),
  }),
} satisfies ToolDef<ReturnType<typeof readInputSchema>, ReadOutput>);

/** The requested lines, if not all were requested. */
function describeRange({ offset, limit, pages }: Partial<ReadInput>): string {
  if (pages !== undefined) return ` (pages ${pages})`;
  const start = Math.max(offset ?? 1, 1);
  if (limit !== undefined) return ` (lines ${start}-${start + limit - 1})`;
  return offset === undefined ? '' : ` (from line ${start})`;
}

/**
 * Pure: the same output gives the same bytes, so that a replayed conversation matches the cache.
 */
function toContent(output: ReadOutput): NonNullable<ToolResultBlock['content']> {
  switch (output.type) {
    case 'text':
      return toNumberedText(output.file);
    case 'image':
      return [toImageBlock(output.file), ...toSizeNote(output.file)];
    case 'notebook':
      return output.file.cells.length === 0
        ? '(The notebook has no cells.)'
        : output.file.cells.map(toCellText).join('\n');
    case 'pages':
      return toPages(output);
  }
}

/** The page with its line numbers, and notes below it about how to continue. */
function toNumberedText(file: ReadTextOutput['file']): string {
  const { content, numLines, startLine, totalLines } = file;
  if (totalLines === 0) return '(The file is there, but it is empty.)';
  if (startLine > totalLines) {
    return `(Line ${startLine} is beyond the end: the file has ${countOf(totalLines)}.)`;
  }
  const numbered = content
    .split('\n')
    .map((line, index) => `${String(startLine + index).padStart(6)}\t${line}`)
    .join('\n');
  const contentNote = describeContent(file);
  if (file.truncatedByTokenCap !== true) return numbered + contentNote;
  if (numLines === 0) {
    return (
      `${numbered}${contentNote}\n\n(Line ${startLine} of ${totalLines} is too long to be shown whole: this is ` +
      `its beginning. Look into it with Grep and -o, or with Repl; offset: ${startLine + 1} goes ` +
      `on after it.)`
    );
  }
  const next = startLine + numLines;
  return (
    `${numbered}${contentNote}\n\n(Lines ${startLine}-${next - 1} of ${totalLines}: more doesn't fit in one ` +
    `answer. Read on with offset: ${next}, or use Grep to find the place.)`
  );
}

/**
 * Notes on the content. Edit refuses a file that isn't text, and a character that the encoding
 * lacks. The text of an SVG isn't its image, and the text of a notebook isn't its cells.
 */
function describeContent({ content, encoding, filePath }: ReadTextOutput['file']): string {
  if (encoding !== undefined) {
    return `\n\n(The file is in ${encoding}; Edit and Write keep it so.)`;
  }
  if (filePath.toLowerCase().endsWith('.svg')) {
    return '\n\n(The source of an SVG image. To see it drawn, ask for it as a PNG.)';
  }
  if (extname(filePath) === '.ipynb') {
    return '\n\n(It is no notebook with a list of cells in valid JSON, so this is its text. Edit changes it.)';
  }
  return content.includes('\uFFFD')
    ? '\n\n(Where \uFFFD stands, the file has bytes that are no valid text.)'
    : '';
}

function countOf(lines: number): string {
  return lines === 1 ? '1 line' : `${lines} lines`;
}

function toImageBlock(file: Pick<ReadImageOutput['file'], 'base64' | 'type'>): ImageBlock {
  return {
    type: 'image',
    source: { type: 'base64', media_type: file.type, data: file.base64 },
  };
}

/** The scale of an image that was made smaller. Without it, coordinates would be wrong. */
function toSizeNote({ dimensions }: ReadImageOutput['file']): TextBlock[] {
  if (dimensions?.displayWidth === undefined) return [];
  const { originalWidth, originalHeight, displayWidth, displayHeight } = dimensions;
  const text =
    `(The image has ${originalWidth} × ${originalHeight} pixels. It is shown at ` +
    `${displayWidth} × ${displayHeight}.)`;
  return [{ type: 'text', text }];
}

/**
 * Each page in a tag, a picture behind its own. Below them are notes that the reader needs to go
 * on.
 */
function toPages(output: ReadPdfOutput): NonNullable<ToolResultBlock['content']> {
  const { file, firstPage, pages } = output;
  const blocks: (TextBlock | ImageBlock)[] = [];
  let text = '';
  pages.forEach((page, index) => {
    const seen = page.image ? 'no text: the picture shows it' : (page.problem ?? noText);
    const content = page.text || `(${seen})`;
    text += `<page number="${firstPage + index}">\n${content}\n</page>\n`;
    if (!page.image) return;
    blocks.push({ type: 'text', text }, toImageBlock(page.image));
    text = '';
  });
  const next = firstPage + pages.length;
  const shown = pages.length === 1 ? `Page ${firstPage}` : `Pages ${firstPage}-${next - 1}`;
  const rest = output.truncatedByTokenCap
    ? `: more doesn't fit in one answer. Read on with pages: "${next}-"`
    : '';
  text += `\n(${shown} of ${file.totalPages}${rest}.)`;
  return blocks.length === 0 ? text : [...blocks, { type: 'text', text }];
}

const noText = "no text: it may be a scan, and pages can't be drawn here";

/** Tags, because a cell's source may contain any line, including one like a heading. */
function toCellText(cell: NotebookCell): string {
  const run = cell.executionCount === undefined ? '' : ` run="${cell.executionCount}"`;
  const output = cell.outputText ? `\n<output>\n${cell.outputText}\n</output>` : '';
  return `<cell id="${cell.id}" type="${cell.cellType}"${run}>\n${cell.source}${output}\n</cell>`;
}
