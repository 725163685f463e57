// Read's input and output: the only file that its tool, its worker half and its view share. The
// fields are those of the Claude Agent SDK; kinds of output that can't occur here are left out.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';
import { maxMessageResultsChars } from '../../core/tool/result-limits.ts';

/** The size of a page of a file. More would take too much of the conversation. */
export const pageTokens = 25_000;

// Strict: unknown fields are refused, so the model learns of its mistake. Descriptions are sent to
// the model.
export const readInputSchema = lazySchema(() =>
  z.strictObject({
    file_path: z.string().describe('The file: absolute, or relative to the working directory.'),
    offset: z
      .number()
      .int()
      .min(0)
      .optional()
      .describe('The number of the first line to read; lines count from 1. Default: 1.'),
    limit: z
      .number()
      .int()
      .min(1)
      .optional()
      .describe('How many lines to read. Default: to the end, or as many as fit.'),
    pages: z
      .string()
      .optional()
      .describe(
        'Pages of a PDF, as in "3", "1-5" or "7-". Default: from the first, as many as fit.',
      ),
    allow_large: z
      .boolean()
      .optional()
      .describe(
        `Gives more text in one answer: up to the ${maxMessageResultsChars} characters that all results of a message have together.`,
      ),
  }),
);

/** The input of a handler: parsed, so none of it needs to be checked again. */
export type ReadInput = z.output<ReturnType<typeof readInputSchema>>;

/** A page of a text: all of it, the requested lines, or as many as fit. */
const textOutputSchema = lazySchema(() =>
  z.strictObject({
    type: z.literal('text'),
    file: z.strictObject({
      filePath: z.string(),
      /** The lines of this page as they stand in the file, with `\n` between them. */
      content: z.string(),
      /** Whole lines in `content`. 0 with content: it is the beginning of a line too long to give. */
      numLines: z.number(),
      startLine: z.number(),
      totalLines: z.number(),
      /**
       * The file's encoding, if it has only some characters, as Latin-1. Edit and Write keep it.
       */
      encoding: z.string().optional(),
      /** The page ends at the cap on one answer, before the requested end. */
      truncatedByTokenCap: z.boolean().optional(),
    }),
  }),
);

/** An image as it is in its file, or made smaller if the API wouldn't take it. */
const imageOutputSchema = lazySchema(() =>
  z.strictObject({
    type: z.literal('image'),
    file: z.strictObject({
      base64: z.string(),
      type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
      originalSize: z.number(),
      dimensions: z
        .strictObject({
          originalWidth: z.number(),
          originalHeight: z.number(),
          /** The size of the image that is shown, if it was made smaller. */
          displayWidth: z.number().optional(),
          displayHeight: z.number().optional(),
        })
        .optional(),
    }),
  }),
);

/** A notebook's cell, with the parts that a reader needs. */
const notebookCellSchema = lazySchema(() =>
  z.strictObject({
    id: z.string(),
    cellType: z.string(),
    source: z.string(),
    executionCount: z.number().optional(),
    /** The outputs of the cell, as text: prints, results or its failure. */
    outputText: z.string().optional(),
  }),
);

const notebookOutputSchema = lazySchema(() =>
  z.strictObject({
    type: z.literal('notebook'),
    file: z.strictObject({ filePath: z.string(), cells: z.array(notebookCellSchema()) }),
  }),
);

/**
 * A page of a PDF. A page without text, as scanners make them, is a picture if it could be drawn.
 */
const pdfPageSchema = lazySchema(() =>
  z.strictObject({
    text: z.string(),
    image: z.strictObject({ base64: z.string(), type: z.literal('image/jpeg') }).optional(),
    /** The reason why it has neither text nor a picture. */
    problem: z.string().optional(),
  }),
);

const pdfOutputSchema = lazySchema(() =>
  z.strictObject({
    type: z.literal('pages'),
    file: z.strictObject({
      filePath: z.string(),
      originalSize: z.number(),
      totalPages: z.number(),
    }),
    /** The number of the first in `pages`; pages count from 1. */
    firstPage: z.number(),
    pages: z.array(pdfPageSchema()),
    /** Not all of the requested pages fit. */
    truncatedByTokenCap: z.boolean().optional(),
  }),
);

export const readOutputSchema = lazySchema(() =>
  z.discriminatedUnion('type', [
    textOutputSchema(),
    imageOutputSchema(),
    notebookOutputSchema(),
    pdfOutputSchema(),
  ]),
);

/**
 * The pages that `pages` of the input asks for, or a sentence about the mistake in it. `last` is
 * `Infinity` for all that follow.
 */
export function parsePages(
  pages: string,
): { readonly first: number; readonly last: number } | string {
  const match = /^\s*(\d{1,6})\s*(?:(-)\s*(\d{1,6})?\s*)?$/.exec(pages);
  if (!match) {
    return `pages is ${JSON.stringify(pages)}. Give one page or one range, as in "3", "1-5" or "7-".`;
  }
  const first = Number(match[1]);
  const last = match[3] === undefined ? (match[2] ? Infinity : first) : Number(match[3]);
  if (first === 0) return 'Pages count from 1: there is no page 0.';
  if (first > last) {
    return `pages is "${pages}", whose last page comes before its first. Did you mean "${last}-${first}"?`;
  }
  return { first, last };
}

/** The output of Read, as data. */
export type ReadOutput = z.output<ReturnType<typeof readOutputSchema>>;
export type ReadTextOutput = Extract<ReadOutput, { type: 'text' }>;
export type ReadImageOutput = Extract<ReadOutput, { type: 'image' }>;
export type ImageDimensions = NonNullable<ReadImageOutput['file']['dimensions']>;
export type ReadPdfOutput = Extract<ReadOutput, { type: 'pages' }>;
export type NotebookCell = z.output<ReturnType<typeof notebookCellSchema>>;
