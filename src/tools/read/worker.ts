// Implements Read: it reads one file and returns what the model may see. It runs in a tool worker
// with a view of only the permitted files. Text is paged here and not spilled: a page says how to
// continue, while a spilled file would have to be read again.
import { throwIfAborted } from '../../core/async/abort.ts';
import { ToolError } from '../../core/errors.ts';
import type { WorkContext, WorkLimits } from '../../core/tool/handler.ts';
import { extname, isInside, resolvePath } from '../../core/path.ts';
import { maxResultBytes } from '../../core/tool/result-limits.ts';
import { encodeBase64 } from '../../core/bytes/base64.ts';
import type { LocalFileSystem } from '../../workspace/files/file-system.ts';
import { statExisting } from '../../workspace/files/stat-path.ts';
import { fitImage } from '../../media/fit-image.ts';
import { isPdf, readPdf, type PageRange } from '../../media/read-pdf.ts';
import { readImageHeader, type ImageHeader } from '../../workspace/state/image.ts';
import { decodeText, isBinary, isLegacy, type TextFormat } from '../../text/encoding.ts';
import { toLineFeeds } from '../../text/line-endings.ts';
import { parseNotebook } from '../../text/notebook.ts';
import { takePage } from '../../text/page.ts';
import {
  pageTokens,
  parsePages,
  readInputSchema,
  type ImageDimensions,
  type ReadInput,
  type ReadOutput,
  type ReadTextOutput,
} from './schema.ts';

// A token is about 4 bytes of text.
const pageBytes = pageTokens * 4;

// Leaves room for the sentence below the page.
const largePageBytes = maxResultBytes - 1_000;

// The same limits as for a cell's output. The first limit with which all cells fit is used.
const outputChars = [10_000, 1_000, 100];

// Systems have devices and pipes there. Reading them may never end.
const endlessDirectories = ['/dev', '/proc', '/sys'];

export const readWorker = {
  get inputSchema() {
    return readInputSchema();
  },
  handler: read,
};

/**
 * Reads the file and marks its version as known to the model. Edit and Write compare that version
 * with the present one.
 *
 * @throws ToolError for content that can't be shown, with what to do instead. Errors of the file
 * system pass unchanged
 */
async function read(input: ReadInput, context: WorkContext<LocalFileSystem>): Promise<ReadOutput> {
  const { fs, limits, signal } = context;
  const path = resolvePath(context.cwd, input.file_path);
  refuseEndless(path);
  const stats = await statExisting(fs, path);
  if (stats.isDirectory()) {
    throw new ToolError(
      `${path} is a directory. Use Glob with the pattern "/*" and this path to see its files.`,
      { code: 'EISDIR', data: { path } },
    );
  }
  refuseHuge(path, stats.size, limits);
  const bytes = await fs.readFile(path);
  // Stopped meanwhile: nobody uses the content.
  throwIfAborted(signal);
  const output = await toOutput(path, bytes, input, context);
  // Marked by its real path, because an Edit may use another link to the same file.
  context.markRead(await fs.realpath(path), stats.version);
  return output;
}

/**
 * The content decides the kind of file. Only the extension `.ipynb` counts too, because a notebook
 * is JSON; it must have cells.
 */
async function toOutput(
  path: string,
  bytes: Uint8Array,
  input: ReadInput,
  { limits, signal }: Pick<WorkContext<LocalFileSystem>, 'limits' | 'signal'>,
): Promise<ReadOutput> {
  const maxBytes = Math.min(input.allow_large ? largePageBytes : pageBytes, limits.maxOutputChars);
  if (isPdf(bytes, path)) return toPdfOutput(path, bytes, input, { maxBytes, signal });
  if (input.pages !== undefined) {
    throw new ToolError(`pages is for PDF files, and ${path} is none. Leave pages out.`, {
      code: 'invalid-input',
      data: { path },
    });
  }
  const image = readImageHeader(bytes);
  if (image) return toImageOutput(path, bytes, image);
  refuseBinary(path, bytes);
  const decoded = decodeText(bytes);
  const text = toLineFeeds(decoded.text);
  const notebook =
    extname(path) === '.ipynb'
      ? toNotebookOutput(path, text, maxBytes, !input.allow_large)
      : undefined;
  return notebook ?? toTextOutput(path, text, decoded.format, input, maxBytes);
}

// Security: judged only by the normal path, because even a request to the file system could hang.
function refuseEndless(path: string): void {
  const directory = endlessDirectories.find((endless) => isInside(endless, path));
  if (directory === undefined) return;
  throw new ToolError(
    `${path} is below ${directory}, where devices are and not files. Read files of the workspace.`,
    { code: 'EACCES', data: { path } },
  );
}

/** Refused before the bytes are loaded, because they must fit into this worker's memory. */
function refuseHuge(path: string, size: number, limits: WorkLimits): void {
  if (size <= limits.maxFileBytes) return;
  throw new ToolError(
    `${path} has ${inMegabytes(size)} MB; Read takes up to ${inMegabytes(limits.maxFileBytes)} MB. ` +
      'Use Grep to find the place that you need, or Repl to take the file apart.',
    { code: 'invalid-input', data: { path, size, limit: limits.maxFileBytes } },
  );
}

function refuseBinary(path: string, bytes: Uint8Array): void {
  if (!isBinary(bytes)) return;
  const unknown = unknownImage(bytes);
  if (unknown !== undefined) {
    throw new ToolError(
      `${path} is ${unknown} image, which the model can't be shown. Ask for it as a JPEG or PNG.`,
      { code: 'invalid-input', data: { path } },
    );
  }
  throw new ToolError(
    `${path} is binary, no text, which Read can't show. Look into its bytes with Repl: ` +
      'fs.readFileSync gives them.',
    { code: 'invalid-input', data: { path } },
  );
}

/** HEIC and AVIF images of phones. Their common container names the kind. */
function unknownImage(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder('windows-1252', { fatal: false, ignoreBOM: true }).decode(
    bytes.subarray(4, 12),
  );
  if (!head.startsWith('ftyp')) return undefined;
  if (/avi[fs]$/.test(head)) return 'an AVIF';
  return /(?:hei[cxms]|hev[cxms]|mif1|msf1)$/.test(head) ? 'a HEIC' : undefined;
}

async function toPdfOutput(
  path: string,
  bytes: Uint8Array,
  input: ReadInput,
  limits: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<ReadOutput> {
  const range = toRange(path, input);
  const { totalPages, isCut, ...rest } = await readPdf({ path, bytes, range, ...limits });
  return {
    type: 'pages',
    file: { filePath: path, originalSize: bytes.length, totalPages },
    ...rest,
    ...(isCut && { truncatedByTokenCap: true }),
  };
}

/** Lines exist only in texts. A PDF has pages. */
function toRange(path: string, { pages, offset, limit }: ReadInput): PageRange | undefined {
  if (offset !== undefined || limit !== undefined) {
    throw new ToolError(
      `${path} is a PDF, which has pages: give pages, as in "1-5", and not offset or limit.`,
      { code: 'invalid-input', data: { path } },
    );
  }
  const range = pages === undefined ? undefined : parsePages(pages);
  if (typeof range === 'string') {
    throw new ToolError(range, { code: 'invalid-input', data: { path } });
  }
  return range;
}

/** The requested lines, or as many of them as fit. */
function toTextOutput(
  path: string,
  text: string,
  { encoding }: TextFormat,
  input: ReadInput,
  maxBytes: number,
): ReadTextOutput {
  const startLine = Math.max(input.offset ?? 1, 1);
  const { content, numLines, totalLines, isCut } = takePage(text, {
    startLine,
    maxLines: input.limit ?? Infinity,
    maxBytes,
    // A number of six digits, a tab and a line end.
    bytesPerLine: 8,
  });
  return {
    type: 'text',
    file: {
      filePath: path,
      content,
      numLines,
      startLine,
      totalLines,
      ...(isLegacy(encoding) && { encoding }),
      ...(isCut && { truncatedByTokenCap: true }),
    },
  };
}

async function toImageOutput(
  path: string,
  bytes: Uint8Array,
  image: ImageHeader,
): Promise<ReadOutput> {
  const fitted = await fitImage(path, bytes, image);
  return {
    type: 'image',
    file: {
      base64: encodeBase64(fitted.bytes),
      type: fitted.mediaType,
      originalSize: bytes.length,
      ...(image.size && { dimensions: toDimensions(image.size, fitted.size) }),
    },
  };
}

type Size = NonNullable<ImageHeader['size']>;

/** With the displayed size, if the image was made smaller. */
function toDimensions(original: Size, shown: Size | undefined): ImageDimensions {
  const isSame = shown?.width === original.width && shown.height === original.height;
  return {
    originalWidth: original.width,
    originalHeight: original.height,
    ...(shown && !isSame && { displayWidth: shown.width, displayHeight: shown.height }),
  };
}

/**
 * Cells aren't paged, because a part of a notebook looks like the whole. The longer the outputs,
 * the more they are cut. Undefined for a text without cells.
 */
function toNotebookOutput(
  path: string,
  text: string,
  maxBytes: number,
  mayAskForMore: boolean,
): ReadOutput | undefined {
  let size = 0;
  for (const maxOutputChars of outputChars) {
    const cells = parseNotebook(text, maxOutputChars);
    if (!cells) return undefined;
    size = new TextEncoder().encode(JSON.stringify(cells)).length;
    if (size <= maxBytes) return { type: 'notebook', file: { filePath: path, cells } };
  }
  const more = mayAskForMore ? 'Read it with allow_large, find' : 'Find';
  throw new ToolError(
    `${path} has cells of ${inMegabytes(size)} MB together, more than fits in one answer. ` +
      `${more} the cells that you need with Grep, or take the notebook apart with Repl.`,
    { code: 'invalid-input', data: { path, size } },
  );
}

function inMegabytes(bytes: number): string {
  return (bytes / (1024 * 1024)).toFixed(2);
}
