// Reads pages of a PDF: their text, and images of pages without text, such as scans. Used by Read's
// worker half. The reader is PDF.js as built by `unpdf`, for realms without a page; it is loaded
// with the first PDF. By `imports` in package.json an isolate gets no-pdf-reader.ts instead.
import { throwIfAborted } from '../core/async/abort.ts';
import { encodeBase64 } from '../core/bytes/base64.ts';
import { clipText } from '../core/text/clip-text.ts';
import { describeThrown, ToolError, messageOf } from '../core/errors.ts';
import { extname } from '../core/path.ts';
import { findCanvases, type Canvas, type CanvasContext } from './canvas.ts';
import type { getDocument as openDocument } from 'unpdf/pdfjs';

type PdfDocument = Awaited<ReturnType<typeof openDocument>['promise']>;
type PdfPageProxy = Awaited<ReturnType<PdfDocument['getPage']>>;
type RenderRequest = Parameters<PdfPageProxy['render']>[0];

// 10 images of about 1500 tokens: more would take too much of a conversation.
const maxPictures = 10;

// The API reduces larger images itself.
const pictureSide = 1568;

// The size of a page's number and tags besides its text.
const bytesPerPage = 40;

/** Pages of a PDF, counted from 1; `last` is `Infinity` for all following pages. */
export interface PageRange {
  readonly first: number;
  readonly last: number;
}

export interface PdfPage {
  text: string;
  /** The image of a page without text, if it could be drawn. */
  image?: { base64: string; type: 'image/jpeg' };
  /** The reason, as a sentence, if a page has neither. Left out if the realm can't draw. */
  problem?: string;
}

export interface PdfPages {
  readonly totalPages: number;
  readonly firstPage: number;
  readonly pages: PdfPage[];
  /** True if not all requested pages fit. */
  readonly isCut: boolean;
}

interface PdfRequest {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Left out: from the first page, as many as fit. */
  readonly range: PageRange | undefined;
  /** The maximum bytes of text in one answer. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

// Readers accept a header in the first kilobyte, because some servers add their own data before it.
const headerBytes = 1024;

/**
 * Recognises a PDF by its first bytes. If other data precedes the header, the path must end with
 * `.pdf` too.
 */
export function isPdf(bytes: Uint8Array, path: string): boolean {
  const isNamed = extname(path).toLowerCase() === '.pdf';
  const head = new TextDecoder().decode(bytes.subarray(0, isNamed ? headerBytes : 5));
  return isNamed ? head.includes('%PDF-') : head === '%PDF-';
}

/** @throws ToolError if the file can't be opened, or the pages don't exist */
export async function readPdf(request: PdfRequest): Promise<PdfPages> {
  const { path, bytes, signal } = request;
  const { getDocument } = await import('#pdf-reader');
  throwIfAborted(signal);
  const task = getDocument({
    // A copy: the reader takes the bytes for itself.
    data: bytes.slice(),
    // Glyphs are drawn as paths: a worker has no fonts of a page.
    disableFontFace: true,
    useSystemFonts: false,
    CanvasFactory: OffscreenCanvasFactory,
    FilterFactory: NoFilterFactory,
    // Warnings would go to the console.
    verbosity: 0,
  });
  const stop = () => void task.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const document = await task.promise;
    return await readPages(document, request);
  } catch (error) {
    throwIfAborted(signal);
    throw error instanceof ToolError ? error : toToolError(path, error);
  } finally {
    signal.removeEventListener('abort', stop);
    await task.destroy();
  }
}

async function readPages(document: PdfDocument, request: PdfRequest): Promise<PdfPages> {
  const { path, range, maxBytes, signal } = request;
  const totalPages = document.numPages;
  const firstPage = range?.first ?? 1;
  const lastPage = Math.min(range?.last ?? totalPages, totalPages);
  if (totalPages === 0) {
    const message = `${path} is a PDF without any page. Ask for another copy of it.`;
    throw new ToolError(message, { code: 'invalid-input', data: { path } });
  }
  if (firstPage > totalPages) {
    throw new ToolError(
      `Page ${firstPage} is beyond the end: ${path} has ${totalPages === 1 ? '1 page' : `${totalPages} pages`}.`,
      { code: 'invalid-input', data: { path, totalPages } },
    );
  }
  const pages: PdfPage[] = [];
  let size = 0;
  let pictures = 0;
  for (let number = firstPage; number <= lastPage; number += 1) {
    throwIfAborted(signal);
    const read = await readPage(document, number, signal);
    // A page that can't be read costs the others nothing; a file of one page is that page.
    if (read instanceof Error && totalPages === 1) throw read;
    const { page, text } = read instanceof Error ? { page: undefined, text: '' } : read;
    const textSize = new TextEncoder().encode(text).length + bytesPerPage;
    const isFull = size + textSize > maxBytes || pictures === maxPictures;
    // The first page is always given, because otherwise a reader could never continue.
    if (isFull && pages.length > 0) break;
    const drawn = page && text === '' ? await drawPage(page, signal) : {};
    const problem = read instanceof Error ? describePage(read) : drawn.problem;
    pages.push({
      text: isFull ? clipText(text, maxBytes / 4) : text,
      ...(drawn.image && { image: drawn.image }),
      ...(problem !== undefined && { problem }),
    });
    size += textSize;
    pictures += drawn.image ? 1 : 0;
    page?.cleanup();
  }
  const isCut = firstPage + pages.length <= lastPage;
  return { totalPages, firstPage, pages, isCut };
}

/** The error where the page can't be read. */
async function readPage(
  document: PdfDocument,
  number: number,
  signal: AbortSignal,
): Promise<{ readonly page: PdfPageProxy; readonly text: string } | Error> {
  try {
    const page = await document.getPage(number);
    return { page, text: await readText(page) };
  } catch (error) {
    throwIfAborted(signal);
    return error instanceof Error ? error : new Error(String(error));
  }
}

function describePage(error: unknown): string {
  return `this page can't be read: ${describeThrown(error)}`.replace(/\.?$/u, '');
}

async function readText(page: PdfPageProxy): Promise<string> {
  const { items } = await page.getTextContent();
  const parts = items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : ''));
  // NUL and the like come of fonts that don't say what their glyphs mean.
  return parts
    .join('')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .trim();
}

const nothingSeen =
  'nothing is to be seen on this page: it is empty, or its picture or its font is of a kind that can not be ' +
  'decoded here, such as JPEG 2000 or a fax';

/** Neither where there is nothing to draw on, as at the edge. */
async function drawPage(
  page: PdfPageProxy,
  signal: AbortSignal,
): Promise<Pick<PdfPage, 'image' | 'problem'>> {
  const canvases = findCanvases();
  if (!canvases) return {};
  const { width, height } = page.getViewport({ scale: 1 });
  const viewport = page.getViewport({ scale: pictureSide / Math.max(width, height) });
  const canvas = new canvases.OffscreenCanvas(
    Math.ceil(viewport.width),
    Math.ceil(viewport.height),
  );
  const canvasContext = canvas.getContext('2d');
  try {
    // The reader's types know the canvas of a page alone; it draws on this one as well.
    await page.render({ canvas: null, canvasContext, viewport } as unknown as RenderRequest)
      .promise;
  } catch (error) {
    throwIfAborted(signal);
    return { problem: describePage(error) };
  }
  // The reader leaves out what it can't decode, and says nothing: a white page would pass for the real one.
  if (canvasContext && isWhite(canvasContext, canvas)) return { problem: nothingSeen };
  const blob = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.8 });
  const base64 = encodeBase64(new Uint8Array(await blob.arrayBuffer()));
  return { image: { base64, type: 'image/jpeg' } };
}

function isWhite(context: CanvasContext, { width, height }: Canvas): boolean {
  const { data } = context.getImageData(0, 0, width, height);
  const pixels = new Uint32Array(data.buffer, data.byteOffset, data.length / 4);
  return pixels.every((pixel) => pixel === 0xffffffff);
}

function toToolError(path: string, error: unknown): ToolError {
  const name = error instanceof Error ? error.name : '';
  const options = { code: 'invalid-input', data: { path }, cause: error } as const;
  if (name === 'PasswordException') {
    return new ToolError(
      `${path} is an encrypted PDF, which opens with a password alone. Ask for a copy without one.`,
      options,
    );
  }
  const reason = messageOf(error);
  return new ToolError(
    `${path} is a PDF that can't be read: ${reason.replace(/\.?$/, '.')} Ask for another copy of it.`,
    options,
  );
}

interface CanvasAndContext {
  canvas: Canvas | null;
  context: CanvasContext | null;
}

/** What the reader draws parts of a page on. Its own factory needs a page. */
class OffscreenCanvasFactory {
  create(width: number, height: number): CanvasAndContext {
    const canvases = findCanvases();
    if (!canvases) return { canvas: null, context: null };
    const canvas = new canvases.OffscreenCanvas(width, height);
    return { canvas, context: canvas.getContext('2d') };
  }

  reset({ canvas }: CanvasAndContext, width: number, height: number): void {
    if (canvas) Object.assign(canvas, { width, height });
  }

  destroy(pair: CanvasAndContext): void {
    pair.canvas = null;
    pair.context = null;
  }
}

/** Filters of pages are SVG in the page: left out, as the reader itself does outside of browsers. */
class NoFilterFactory {
  addFilter(): string {
    return 'none';
  }

  addHCMFilter(): string {
    return 'none';
  }

  addAlphaFilter(): string {
    return 'none';
  }

  addLuminosityFilter(): string {
    return 'none';
  }

  addHighlightHCMFilter(): string {
    return 'none';
  }

  destroy(): void {}
}
