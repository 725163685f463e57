// The body of Glob: the files below a directory whose names match, the newest first.
import { SdkError, ToolError } from '../../core/errors.ts';
import type { WorkContext } from '../../core/tool/handler.ts';
import { isInside, joinPath, resolvePath } from '../../core/path.ts';
import { fileConstants } from '../../workspace/files/file-options.ts';
import type { LocalFileSystem } from '../../workspace/files/file-system.ts';
import { statExisting } from '../../workspace/files/stat-path.ts';
import { toRootedGlob } from '../../core/glob/search-glob.ts';
import { createDeadline, toCounts } from '../../search/deadline.ts';
import { explainNoFiles } from '../../search/explain-no-files.ts';
import { selectFiles } from '../../search/select-files.ts';
import type { SearchableFileSystem } from '../../search/search-service.ts';
import { globInputSchema, maxListedFiles, type GlobInput, type GlobOutput } from './schema.ts';

export const globWorker = {
  get inputSchema() {
    return globInputSchema();
  },
  handler: glob,
};

/** Reads no file's content. The total counts what this call may see, and nothing that is denied. */
async function glob(
  input: GlobInput,
  context: WorkContext<SearchableFileSystem>,
): Promise<GlobOutput> {
  const { fs } = context;
  const startedAt = performance.now();
  const { timeoutMs } = context.limits;
  const checkTime = createDeadline(timeoutMs, 'Look below a smaller path.', toCounts(context));
  const named = resolvePath(context.cwd, input.path ?? '.');
  await requireDirectory(fs, named);
  const { directory, glob: fromThere } = await findPlace(input.pattern, named, fs);
  const select = (below: string, pattern: string) =>
    selectFiles(
      fs.search,
      { directory: below, globRoot: below, globs: [pattern] },
      { signal: context.signal, checkTime },
    );
  const files = await select(directory, fromThere);
  const newest = files.newestFirst.files.slice(0, maxListedFiles);
  const total = files.size;
  const hint =
    total > 0
      ? undefined
      : await explainNoFiles(directory, fromThere, {
          isDirectory: (path) => isDirectory(fs, path),
          count: async (below, pattern) => (await select(below, pattern)).size,
        });
  return {
    durationMs: Math.round(performance.now() - startedAt),
    numFiles: newest.length,
    filenames: newest.map((file) => file.path),
    truncated: total > newest.length,
    totalMatches: total,
    countIsComplete: true,
    ...(hint !== undefined && { hint }),
  };
}

async function requireDirectory(fs: LocalFileSystem, directory: string): Promise<void> {
  const stats = await statExisting(fs, directory);
  if (stats.isDirectory()) return;
  throw new ToolError(
    `${directory} is a file, and path names the directory to look in. Leave path out, or use ` +
      'Read for this file.',
    { code: 'ENOTDIR', data: { path: directory } },
  );
}

/** False also where the view may not say. */
async function isDirectory(fs: LocalFileSystem, path: string): Promise<boolean> {
  try {
    return (await fs.stat(path)).isDirectory();
  } catch (error) {
    if (SdkError.isInstance(error)) return false;
    throw error;
  }
}

/** Where files are looked for, and the glob as it is taken from there. */
interface SearchPlace {
  readonly directory: string;
  readonly glob: string;
}

/**
 * Mostly the directory that the call names. A pattern that leads out of it, by `../` or as an absolute path, is looked
 * for where it leads.
 */
async function findPlace(
  pattern: string,
  named: string,
  fs: LocalFileSystem,
): Promise<SearchPlace> {
  const below = { directory: named, glob: toRootedGlob(pattern, named) };
  const { start, rest } = splitPattern(pattern);
  const directory = resolvePath(named, start);
  if (start.split('/').includes('..')) await requireDirectory(fs, directory);
  else {
    // In ripgrep's globs a slash at the start is the directory searched: so it is unless nothing else can be meant.
    const isMeant = !isInside(named, directory) && !(await isDirectory(fs, joinPath(named, start)));
    if (!isMeant || !(await isDirectory(fs, directory))) return below;
  }
  // Security: the rules were asked about the directory that the call names. Where one asks about this one, it is
  // to be named as well.
  await fs.access(directory, fileConstants.R_OK).catch((error: unknown) => {
    throw new ToolError(
      `A person must be asked before ${directory} is searched, where the pattern leads. Give it as path, and ` +
        `${JSON.stringify(rest)} as pattern.`,
      { code: 'EACCES', data: { path: directory }, cause: error },
    );
  });
  return { directory, glob: rest };
}

/** The directory that a pattern begins with, as it is written, and what is left. Empty for one without. */
function splitPattern(pattern: string): { readonly start: string; readonly rest: string } {
  const special = pattern.search(/[*?[{\\]/u);
  const plain = special === -1 ? pattern.replace(/\/+$/u, '') : pattern.slice(0, special);
  const end = pattern.startsWith('!') ? 0 : Math.max(plain.lastIndexOf('/'), 0);
  return { start: pattern.slice(0, end), rest: pattern.slice(end) };
}
