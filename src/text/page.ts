// Takes a page of a text's lines, limited by lines and bytes. Long files are read in pages.
import { countLines } from '../core/text/count-lines.ts';
import { clipText } from '../core/text/clip-text.ts';

export interface PageRequest {
  /** Lines count from 1. */
  readonly startLine: number;
  readonly maxLines: number;
  readonly maxBytes: number;
  /** The overhead of each line in addition to its UTF-8 bytes: its number, its end. */
  readonly bytesPerLine: number;
}

export interface Page {
  /** The lines with `\n` between them. */
  readonly content: string;
  /** The number of whole lines in `content`. 0 with content: it is the beginning of a line that is too long. */
  readonly numLines: number;
  /** The number of lines. A line end at the very end of the text begins no further line. */
  readonly totalLines: number;
  /** True if `maxBytes` ended the page. */
  readonly isCut: boolean;
}

/** Takes as many whole lines as fit, and at least the beginning of the first. */
export function takePage(text: string, request: PageRequest): Page {
  const { startLine, maxLines, maxBytes, bytesPerLine } = request;
  const totalLines = countLines(text);
  const wanted = Math.min(maxLines, totalLines - startLine + 1);
  const start = startOfLine(text, startLine);
  let end = start;
  let used = 0;
  for (let numLines = 0; numLines < wanted; numLines += 1) {
    const lineEnd = endOfLine(text, end);
    // Counts only the part of a line that could fit, because a line may have a hundred million characters.
    used += bytesPerLine + byteLength(text.slice(end, Math.min(lineEnd, end + maxBytes)));
    if (used > maxBytes) {
      const content =
        numLines === 0
          ? clipLine(text.slice(start, lineEnd), maxBytes)
          : text.slice(start, end - 1);
      return { content, numLines, totalLines, isCut: true };
    }
    end = lineEnd + 1;
  }
  const content = wanted > 0 ? text.slice(start, end - 1) : '';
  return { content, numLines: Math.max(wanted, 0), totalLines, isCut: false };
}

/** 3: the most bytes that one UTF-16 unit takes. */
function clipLine(line: string, maxBytes: number): string {
  return clipText(line, Math.floor(maxBytes / 3));
}

function startOfLine(text: string, line: number): number {
  let at = 0;
  for (let current = 1; current < line; current += 1) {
    const lineEnd = text.indexOf('\n', at);
    if (lineEnd === -1) return text.length;
    at = lineEnd + 1;
  }
  return at;
}

function endOfLine(text: string, at: number): number {
  const lineEnd = text.indexOf('\n', at);
  return lineEnd === -1 ? text.length : lineEnd;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
