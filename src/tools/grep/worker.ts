// Implements Grep: it searches files for a pattern, and gives lines, names or counts. A search
// stops at its limit. Only counting reads every file.
import { ToolError } from '../../core/errors.ts';
import type { WorkContext } from '../../core/tool/handler.ts';
import { isInside, relativePath, resolvePath } from '../../core/path.ts';
import { statExisting } from '../../workspace/files/stat-path.ts';
import { createDeadline, createSearchClock, toCounts } from '../../search/deadline.ts';
import { countMatches, findParts, hasMatch } from '../../search/find-matches.ts';
import { compileFileType } from '../../search/file-types.ts';
import { compileGlobs, splitGlobs, toRootedGlob } from '../../core/glob/search-glob.ts';
import { findShownLines, type ShownLine } from '../../search/matched-lines.ts';
import { compilePattern, type Pattern } from '../../search/pattern.ts';
import { FileList, type FileOrder, type SearchFile } from '../../search/index/kept-files.ts';
import type { SearchableText } from '../../search/index/searchable-text.ts';
import { filesOfPart, searchInParts } from '../../search/search-parts.ts';
import { selectFiles } from '../../search/select-files.ts';
import type { SearchableFileSystem } from '../../search/search-service.ts';
import { defaultHeadLimit, grepInputSchema, type GrepInput, type GrepOutput } from './schema.ts';

/** The progress that a person sees. */
export interface GrepProgress {
  readonly searchedFiles: number;
  readonly totalFiles: number;
}

type Context = WorkContext<SearchableFileSystem, GrepProgress>;

// About 1 ms of searching. Reading the clock for each file would take as long as the search.
const charsBetweenChecks = 1_048_576;

// The cost of a file besides its text, in characters.
const fileChars = 1000;

export const grepWorker = {
  get inputSchema() {
    return grepInputSchema();
  },
  handler: grep,
  workOnPart: grepPart,
};

/** Denied files are in no answer and no total, because the file system hides them. */
async function grep(input: GrepInput, context: Context): Promise<GrepOutput> {
  const search = await startSearch(input, context);
  switch (input.output_mode ?? 'files_with_matches') {
    case 'files_with_matches':
      return listFiles(search);
    case 'count':
      return countFiles(search);
    case 'content':
      return search.limit === Infinity && search.offset === 0 ? showAll(search) : showPage(search);
  }
}

/** Searches a part of the files for another worker, with the same result. */
async function grepPart(
  input: GrepInput,
  part: unknown,
  context: Context,
): Promise<FoundCounts | FoundLines> {
  const search = await startSearch(input, context);
  const files = filesOfPart(search.files.byPath, part);
  return input.output_mode === 'count' ? countIn(search, files) : findLines(search, files);
}

function compile(input: GrepInput, context: Context): Pattern {
  const now = createSearchClock(toCounts(context));
  const deadline = now() + context.limits.timeoutMs;
  const pattern: Pattern = compilePattern(input.pattern, {
    ignoreCase: input['-i'] ?? false,
    multiline: input.multiline ?? false,
    checkTime: () => {
      if (now() > deadline) throw createLateError(pattern, context);
    },
  });
  return pattern;
}

/** The error comes before the worker is terminated, so that its index of files stays. */
function createLateError({ costlyPart }: Pattern, { limits }: Context): ToolError {
  const spent = `The search took longer than ${limits.timeoutMs / 1000} s and was stopped.`;
  const advice = 'Look into less of the workspace with path, glob or type';
  return new ToolError(
    costlyPart === undefined
      ? `${spent} ${advice}.`
      : `${spent} The costly part of the pattern is ${costlyPart}: a repetition costs less where it ` +
          `stands beside characters that it can't match itself. ${advice}, or change that part.`,
    { code: 'limit-exceeded', data: { limitMs: limits.timeoutMs, costlyPart: costlyPart ?? null } },
  );
}

/** One call's prepared search, for all three output modes. */
interface Search {
  readonly input: GrepInput;
  readonly pattern: Pattern;
  readonly files: FileList;
  readonly isExplicit: boolean;
  /** The number of lines or files to skip, and of those to give. `Infinity` for all. */
  readonly offset: number;
  readonly limit: number;
  readonly context: Context;
  /** The number of files before the searched part. */
  readonly searchedBefore: number;
  /**
   * Filled during the search. The answer lists these files, so that no file is skipped silently.
   */
  readonly unreadFiles: string[];
  /** A path as the answer shows it. */
  shown(file: SearchFile): string;
}

/**
 * Prepares a search. A file that the path names is searched without regard to globs, type and
 * ignore files. Below a directory these apply.
 */
async function startSearch(input: GrepInput, context: Context): Promise<Search> {
  const pattern = compile(input, context);
  const { fs, cwd } = context;
  const target = resolvePath(cwd, input.path ?? '.');
  const stats = await statExisting(fs, target);
  const isExplicit = !stats.isDirectory();
  const globs = splitGlobs(input.glob ?? '').map((glob) => toRootedGlob(glob, cwd));
  // Invalid globs are refused even if the path decides alone.
  compileGlobs(cwd, globs);
  if (input.type !== undefined) compileFileType(input.type);
  const files = isExplicit
    ? new FileList([fs.search.file(target)])
    : await selectFiles(
        fs.search,
        { directory: target, globRoot: cwd, globs, type: input.type },
        {
          signal: context.signal,
          // No file has been searched yet, so the pattern can't be the cause.
          checkTime: createDeadline(
            context.limits.timeoutMs,
            'Look below a smaller path.',
            toCounts(context),
          ),
        },
      );
  const limit = input.head_limit ?? defaultHeadLimit;
  return {
    input,
    pattern,
    files,
    isExplicit,
    offset: input.offset ?? 0,
    limit: limit === 0 ? Infinity : limit,
    context,
    searchedBefore: 0,
    unreadFiles: [],
    shown: ({ path }) => (isInside(cwd, path) ? relativePath(cwd, path) : path),
  };
}

/** Gives the texts of the files that may match. Checks for an abort between them. */
function visitTexts(
  search: Search,
  order: FileOrder,
  visit: (file: SearchFile, content: SearchableText) => 'stop' | undefined,
): Promise<void> {
  const { context, isExplicit, pattern, files, searchedBefore, unreadFiles, shown } = search;
  let unchecked = charsBetweenChecks;
  const options = {
    plans: pattern.plans,
    isExplicit,
    maxFileBytes: context.limits.maxFileBytes,
    isContinued: searchedBefore > 0,
    signal: context.signal,
    onProgress: (searched: number) =>
      context.progress({ searchedFiles: searchedBefore + searched, totalFiles: files.size }),
  };
  return context.fs.search.visit(order, options, (file, content) => {
    unchecked += fileChars + (content === 'unreadable' ? 0 : content.text.length);
    if (unchecked > charsBetweenChecks) {
      pattern.checkTime();
      unchecked = 0;
    }
    if (content !== 'unreadable') return visit(file, content);
    unreadFiles.push(shown(file));
    return undefined;
  });
}

/** The newest files are first, so that the limit cuts the oldest. */
async function listFiles(search: Search): Promise<GrepOutput> {
  const { pattern, offset, limit } = search;
  const names: string[] = [];
  let isCut = false;
  await visitTexts(search, search.files.newestFirst, (file, content) => {
    if (!hasMatch(pattern, toSearchedPart(content, search))) return undefined;
    isCut = names.length === offset + limit;
    if (isCut) return 'stop';
    names.push(search.shown(file));
    return undefined;
  });
  const filenames = names.slice(offset);
  return {
    mode: 'files_with_matches',
    numFiles: filenames.length,
    filenames,
    ...(!isCut && { totalFiles: names.length }),
    ...pageOf(search, isCut),
  };
}

/** The limit applies to the listed files. `numMatches` counts all, so every file is read. */
async function countFiles(search: Search): Promise<GrepOutput> {
  const { offset, limit } = search;
  const found = await findInAll(search, countIn);
  const counts = found.flatMap((part) => part.counts);
  const page = counts.slice(offset, offset + limit);
  return {
    mode: 'count',
    numFiles: page.length,
    filenames: page.map(([name]) => name),
    content: page.map(([name, count]) => `${name}:${count}`).join('\n'),
    numLines: page.length,
    numMatches: counts.reduce((sum, [, count]) => sum + count, 0),
    totalFiles: counts.length,
    ...pageOf(search, offset + limit < counts.length),
  };
}

/** The matching files, each with its name and its number of matches. */
export interface FoundCounts {
  readonly counts: readonly (readonly [name: string, count: number])[];
  readonly unreadFiles: readonly string[];
}

async function countIn(search: Search, files: FileOrder): Promise<FoundCounts> {
  const { pattern, isExplicit, unreadFiles } = search;
  const counts: [string, number][] = [];
  await visitTexts(search, files, (file, content) => {
    // As in ripgrep, the text after a NUL can't be counted, so the file isn't.
    if (content.nulAt !== -1 && !isExplicit) return undefined;
    const count = countMatches(pattern, content);
    if (count > 0) counts.push([search.shown(file), count]);
    return undefined;
  });
  return { counts, unreadFiles };
}

/** The results of `find` in all files, part by part. */
async function findInAll<Found extends FoundCounts | FoundLines>(
  search: Search,
  find: (search: Search, files: FileOrder) => Promise<Found>,
): Promise<Found[]> {
  const { context, pattern, files, isExplicit } = search;
  const options = {
    context: isExplicit ? { ...context, shareWork: undefined } : context,
    plans: pattern.plans,
    search: (part: FileOrder, from: number) =>
      find({ ...search, unreadFiles: [], searchedBefore: from }, part),
  };
  const found = await searchInParts(files.byPath, options);
  for (const { unreadFiles } of found) search.unreadFiles.push(...unreadFiles);
  return found;
}

/** Shows all lines. */
async function showAll(search: Search): Promise<GrepOutput> {
  const found = await findInAll(search, findLines);
  const parts = found.filter(({ numLines }) => numLines > 0);
  const filenames = parts.flatMap((part) => part.filenames);
  const separators = separates(search) ? Math.max(parts.length - 1, 0) : 0;
  const numLines = parts.reduce((sum, part) => sum + part.numLines, separators);
  const binaryFiles = found.flatMap((part) => part.binaryFiles);
  return {
    mode: 'content',
    numFiles: filenames.length,
    filenames,
    content: parts.map(({ content }) => content).join(separates(search) ? '\n--\n' : '\n'),
    numLines,
    totalLines: numLines,
    ...(binaryFiles.length > 0 && { binaryFiles }),
    ...pageOf(search, false),
  };
}

/** The lines found, as fields of the answer. */
export interface FoundLines {
  readonly filenames: readonly string[];
  readonly content: string;
  readonly numLines: number;
  readonly binaryFiles: readonly string[];
  readonly unreadFiles: readonly string[];
}

async function findLines(search: Search, files: FileOrder): Promise<FoundLines> {
  const filenames: string[] = [];
  const lines: string[] = [];
  const binaryFiles = await visitLines(search, files, {
    linesLeft: () => Infinity,
    onLines(name, rows) {
      filenames.push(name);
      for (const row of rows) lines.push(row);
    },
  });
  const { unreadFiles } = search;
  return { filenames, content: lines.join('\n'), numLines: lines.length, binaryFiles, unreadFiles };
}

/** Shows some lines, after the skipped ones. */
async function showPage(search: Search): Promise<GrepOutput> {
  const { offset, limit } = search;
  const lines: { readonly name: string; readonly text: string; readonly shown?: ShownLine }[] = [];
  // One line more than requested shows that there are more.
  const linesLeft = () => offset + limit + 1 - lines.length;
  const binaryFiles = await visitLines(search, search.files.byPath, {
    linesLeft,
    onLines(name, rows, shown) {
      let next = 0;
      for (const text of rows) {
        // A row between two groups belongs to no line.
        const line = text === groupSeparator ? undefined : shown[next++];
        lines.push({ name, text, ...(line && { shown: line }) });
      }
    },
  });
  const page = lines.slice(offset, offset + limit);
  const filenames = [...new Set(page.map(({ name }) => name))];
  const isCut = lines.length > offset + limit;
  return {
    mode: 'content',
    numFiles: filenames.length,
    filenames,
    content: page.map(({ text }) => text).join('\n'),
    numLines: page.length,
    marks: page.map(({ shown }) => toMarks(search.pattern, shown)),
    ...(!isCut && { totalLines: lines.length }),
    ...(binaryFiles.length > 0 && { binaryFiles }),
    ...pageOf(search, isCut),
  };
}

interface LineVisitor {
  /** The number of further lines that are needed. At 0 the search ends. */
  linesLeft(): number;
  /** Called with each file that has matches, its rows, and the lines that the rows were made of. */
  onLines(name: string, rows: readonly string[], shown: readonly ShownLine[]): void;
}

/** The row between groups of lines. */
const groupSeparator = '--';

/** The places of the matches in the line. Empty for a pattern that spans lines. */
function toMarks(pattern: Pattern, line: ShownLine | undefined): number[] {
  if (!line?.isMatch || pattern.spansLines) return [];
  const { text } = line;
  const parts = findParts(pattern, text, { isAscii: false, from: 0, to: text.length });
  return parts.flatMap(({ start, end }) => (end > start ? [start, end] : []));
}

/**
 * Visits files by path, so that the lines of one file are together. Lines of binary files aren't
 * shown. Resolves with those files.
 */
async function visitLines(
  search: Search,
  files: FileOrder,
  { linesLeft, onLines }: LineVisitor,
): Promise<string[]> {
  const { input, pattern } = search;
  const binaryFiles: string[] = [];
  let isFirst = true;
  await visitTexts(search, files, (file, content) => {
    if (content.nulAt !== -1) {
      if (hasMatch(pattern, toSearchedPart(content, search))) binaryFiles.push(search.shown(file));
      return undefined;
    }
    const shown = findShownLines(pattern, content, {
      ...linesAround(input),
      onlyMatching: input['-o'] ?? false,
      maxRows: linesLeft(),
    });
    if (shown.length === 0) return undefined;
    const name = search.shown(file);
    const hasNumbers = input['-n'] ?? true;
    onLines(
      name,
      toRows(name, shown, { separates: separates(search), hasNumbers, isFirst }),
      shown,
    );
    isFirst = false;
    return linesLeft() > 0 ? undefined : 'stop';
  });
  return binaryFiles;
}

function linesAround(input: GrepInput): { readonly before: number; readonly after: number } {
  const around = input['-C'] ?? input.context;
  return { before: around ?? input['-B'] ?? 0, after: around ?? input['-A'] ?? 0 };
}

/** True if `--` separates groups of lines. It does when lines around matches are shown. */
function separates({ input }: Search): boolean {
  const { before, after } = linesAround(input);
  return before + after > 0;
}

interface RowOptions {
  /** See {@link separates}. */
  readonly separates: boolean;
  readonly hasNumbers: boolean;
  /** True if no row of any file stands before. */
  readonly isFirst: boolean;
}

/** `path:12:text` for matches, `path-12-text` for lines around them. */
function toRows(name: string, lines: readonly ShownLine[], options: RowOptions): string[] {
  const rows: string[] = [];
  let previous: number | undefined;
  for (const { number, text, isMatch } of lines) {
    const isGap = previous === undefined ? !options.isFirst : number > previous + 1;
    if (options.separates && isGap) rows.push(groupSeparator);
    const sign = isMatch ? ':' : '-';
    rows.push(`${name}${sign}${options.hasNumbers ? `${number}${sign}` : ''}${text}`);
    previous = number;
  }
  return rows;
}

/**
 * The text up to the first NUL, because the rest isn't text. A file that the path names is searched
 * completely.
 */
function toSearchedPart(content: SearchableText, { isExplicit }: Search): SearchableText {
  if (content.nulAt === -1 || isExplicit) return content;
  return { ...content, text: content.text.slice(0, content.nulAt) };
}

/** The fields that say which part of the whole answer this is. */
function pageOf(
  { offset, limit, unreadFiles, files }: Search,
  isCut: boolean,
): Pick<GrepOutput, 'appliedLimit' | 'appliedOffset' | 'unreadFiles' | 'hasNoFiles'> {
  return {
    ...(files.size === 0 && { hasNoFiles: true }),
    ...(isCut && { appliedLimit: limit }),
    ...(offset > 0 && { appliedOffset: offset }),
    ...(unreadFiles.length > 0 && { unreadFiles }),
  };
}
