// The body of Read: bytes of one file in, what the model may see of them out. Runs in a tool worker
// over a view that shows only what this call may see.
// Text is paged here rather than spilled: a page says where to go on, a spilled file would only be
// Read again.
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

// A token has some 4 bytes of text.
const pageBytes = pageTokens * 4;

// The sentence below the page has to fit too.
const largePageBytes = maxResultBytes - 1_000;

// The same as for a cell's output. The first limit with which all cells fit is taken.
const outputChars = [10_000, 1_000, 100];

// Systems keep things there that aren't files. Reading there may never end.
const endlessDirectories = ['/dev', '/proc', '/sys'];

export const readWorker = {
  get inputSchema() {
    return readInputSchema();
  },
  handler: read,
};

/**
 * Reads the file and marks it as known to the model in the version that was read. Edit and Write
 * compare it with the version that they find.
 *
 * @throws ToolError for what can't be shown, with what to do instead. Errors of the file system
 * pass through: their sentences say what is wrong already.
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
  // Stopped meanwhile: nobody can use the content.
  throwIfAborted(signal);
  const output = await toOutput(path, bytes, input, context);
  // Noted by its real path: an Edit may come by another link to the same file.
  context.markRead(await fs.realpath(path), stats.version);
  return output;
}

/**
 * The content decides about the kind of file. Of names only `.ipynb` counts, as it is JSON, and
 * only with cells in it.
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

// Security: judged only by the normal path, before any file system is asked. Asking would hang.
function refuseEndless(path: string): void {
  const directory = endlessDirectories.find((endless) => isInside(endless, path));
  if (directory === undefined) return;
  throw new ToolError(
    `${path} is below ${directory}, where devices are and not files. Read files of the workspace.`,
    { code: 'EACCES', data: { path } },
  );
}

/** Refused before the bytes are loaded: they would have to fit into this worker's memory. */
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

/** Images of phones: HEIC and AVIF, in one container, which names its kind. */
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
 * Cells aren't paged: a part of a notebook can't be told from the whole. The more they have printed, the less of it
 * is shown. Undefined for a text without cells.
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
