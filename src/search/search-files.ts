// The search for an editor's search box. It uses the same lists, index and engine as Grep, and runs in the realm of
// the view.
import { createDeadline } from './deadline.ts';
import { findShownLines } from './matched-lines.ts';
import { compilePattern } from './pattern.ts';
import type { SearchableFileSystem } from './search-service.ts';
import { selectFiles } from './select-files.ts';

/** The pattern, and the files to search. */
export interface FileQuery {
  /** A pattern in Rust's syntax, as ripgrep takes it. */
  readonly pattern: string;
  /** Absolute. Globs are relative to it. */
  readonly directory: string;
  readonly ignoreCase?: boolean;
  /** A match may span lines, and `.` matches line ends. */
  readonly multiline?: boolean;
  /** `*.ts`, `!*.test.ts`: the last glob that matches decides. */
  readonly globs?: readonly string[];
  /** A name of ripgrep's list: `ts`, `py`, … */
  readonly type?: string;
}

/** Limits of a search, and listeners to its results. */
export interface SearchFilesOptions {
  readonly signal: AbortSignal;
  /** The search ends after the file in which this number of lines is reached. @defaultValue no limit */
  readonly maxLines?: number;
  /** Larger files are not searched. @defaultValue 8 MB */
  readonly maxFileBytes?: number;
  /** A search that takes longer ends with `limit-exceeded`. @defaultValue 10 s */
  readonly timeoutMs?: number;
  /** Called for each file with a match as soon as it is found, in the order of the paths. */
  onFile(file: FoundFile): void;
  /** Called with the number of files that were searched so far, and with their total. */
  onProgress?(searched: number, total: number): void;
}

/** The matching lines of one file, in their order. */
export interface FoundFile {
  readonly path: string;
  readonly lines: readonly FoundLine[];
}

/** A matching line, without its line end. */
export interface FoundLine {
  /** Counts from 1. */
  readonly number: number;
  readonly text: string;
}

// 10 s: nobody waits longer for a search box.
const defaultTimeoutMs = 10_000;

const advice = 'Look for something that fewer lines could match, or below a smaller directory.';

// Larger files are data, not text that people read line by line.
const defaultFileBytes = 8 * 1024 * 1024;

/**
 * Finds the lines that match a pattern in the files of a directory. It skips binary files and files that ignore files
 * exclude. Files that rules deny don't exist for it.
 *
 * @throws ToolError `invalid-input` for an invalid pattern, glob or type; the message says what to write instead.
 * SdkError `ENOENT` and others as `readdir` does; `limit-exceeded`; `aborted`
 * @example
 * ```ts
 * const view = await workspace.openView({ root: 'main', minSeq: workspace.seq() }, access);
 * await searchFiles(view.fs, { pattern: 'TODO', directory: '/workspace' }, {
 *   signal,
 *   onFile: ({ path, lines }) => show(path, lines),
 * });
 * ```
 */
export async function searchFiles(
  fs: SearchableFileSystem,
  query: FileQuery,
  options: SearchFilesOptions,
): Promise<{ readonly isComplete: boolean }> {
  const { directory, ignoreCase = false, multiline = false, globs = [], type } = query;
  const { signal, maxLines = Infinity, maxFileBytes = defaultFileBytes, onProgress } = options;
  const checkTime = createDeadline(options.timeoutMs ?? defaultTimeoutMs, advice);
  const pattern = compilePattern(query.pattern, { ignoreCase, multiline, checkTime });
  const { byPath } = await selectFiles(
    fs.search,
    { directory, globRoot: directory, globs, type },
    { signal, checkTime },
  );
  let count = 0;
  let isComplete = true;
  const settings = {
    plans: pattern.plans,
    isExplicit: false,
    maxFileBytes,
    signal,
    onProgress: (searched: number) => onProgress?.(searched, byPath.files.length),
  };
  await fs.search.visit(byPath, settings, ({ path }, content) => {
    checkTime();
    if (content === 'unreadable' || content.nulAt !== -1) return undefined;
    const shown = findShownLines(pattern, content, {
      before: 0,
      after: 0,
      onlyMatching: false,
      maxRows: maxLines - count,
    });
    if (shown.length === 0) return undefined;
    options.onFile({ path, lines: shown.map(({ number, text }) => ({ number, text })) });
    count += shown.length;
    if (count < maxLines) return undefined;
    isComplete = false;
    return 'stop';
  });
  return { isComplete };
}
