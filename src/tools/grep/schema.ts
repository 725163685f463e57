// Grep's input and output, as in the Claude Agent SDK; three fields of the output are ours.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

// As in the Claude Agent SDK. More lines would take too much of the conversation.
export const defaultHeadLimit = 250;

// The options have ripgrep's names, including dashes, because models know them.
const lineCount = (description: string) =>
  z.number().int().min(0).optional().describe(`${description} Only in content mode.`);

export const grepInputSchema = lazySchema(() =>
  z.strictObject({
    pattern: z.string().describe('A regular expression in the syntax of Rust, which ripgrep uses.'),
    path: z
      .string()
      .optional()
      .describe('A file or a directory to search. Default: the working directory.'),
    glob: z
      .string()
      .optional()
      .describe('Only files that match, as in "*.ts" or "*.{js,jsx}"; "!*.md" leaves files out.'),
    type: z.string().optional().describe('Only files of a type: ts, js, py, rust, go, css, md, …'),
    output_mode: z
      .enum(['content', 'files_with_matches', 'count'])
      .optional()
      .describe(
        'What to answer: lines, names of files (the default), or the number of matches by file.',
      ),
    '-A': lineCount('Lines to show after each match.'),
    '-B': lineCount('Lines to show before each match.'),
    '-C': lineCount('The same as context.'),
    context: lineCount('Lines to show before and after each match; beats -A and -B.'),
    '-n': z
      .boolean()
      .optional()
      .describe('Shows line numbers. Default: true. Only in content mode.'),
    '-i': z.boolean().optional().describe('Upper and lower case are the same.'),
    '-o': z
      .boolean()
      .optional()
      .describe('Shows only the matching parts of lines, each on its own. Only in content mode.'),
    head_limit: z
      .number()
      .int()
      .min(0)
      .optional()
      .describe(`At most so many lines or files. Default: ${defaultHeadLimit}; 0 is no limit.`),
    offset: z
      .number()
      .int()
      .min(0)
      .optional()
      .describe('Skips so many lines or files before head_limit counts: the next page.'),
    multiline: z
      .boolean()
      .optional()
      .describe('A match may span lines, and "." matches line ends too. Default: false.'),
  }),
);

/** The parsed input of a call of Grep. */
export type GrepInput = z.output<ReturnType<typeof grepInputSchema>>;

export const grepOutputSchema = lazySchema(() =>
  z.strictObject({
    mode: z.enum(['content', 'files_with_matches', 'count']),
    /** The number of names in `filenames`. */
    numFiles: z.number(),
    /** Relative to the working directory if they are inside it. */
    filenames: z.array(z.string()),
    /** Content mode: `path:line:text` and `path-line-text`; count mode: `path:count`. */
    content: z.string().optional(),
    /** Lines in `content`. */
    numLines: z.number().optional(),
    /** For views: each match's start and end in the line's own text, by line of `content`. */
    marks: z.array(z.array(z.number())).optional(),
    /** Count mode: the matches in all files, not only those of this page. */
    numMatches: z.number().optional(),
    /** Left out if the search stopped at its limit and the total isn't known. */
    totalFiles: z.number().optional(),
    /** Left out if the search stopped at its limit and the total isn't known. */
    totalLines: z.number().optional(),
    /** The limit, if it has cut the answer. */
    appliedLimit: z.number().optional(),
    appliedOffset: z.number().optional(),
    /** Ours: matching files that are binary, so that none of their lines can be shown. */
    binaryFiles: z.array(z.string()).optional(),
    /** Ours: files that weren't searched, because they are too large or unreadable. */
    unreadFiles: z.array(z.string()).optional(),
    /** Ours: no file was searched, because path, glob and type together match none. */
    hasNoFiles: z.boolean().optional(),
  }),
);

/** The output of Grep, as data. */
export type GrepOutput = z.output<ReturnType<typeof grepOutputSchema>> & {
  /** Never set: a search that runs out of time fails, and the error names the expensive part. */
  readonly timedOut?: boolean;
};
