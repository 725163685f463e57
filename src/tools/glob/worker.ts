// Implements Glob: it finds the matching files below a directory, the newest first.
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

/** Reads no contents. The total includes only files that this call may see. */
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

/** Also false if the view denies the answer. */
async function isDirectory(fs: LocalFileSystem, path: string): Promise<boolean> {
  try {
    return (await fs.stat(path)).isDirectory();
  } catch (error) {
    if (SdkError.isInstance(error)) return false;
    throw error;
  }
}

/** The directory to search, and the glob relative to it. */
interface SearchPlace {
  readonly directory: string;
  readonly glob: string;
}

/**
 * Finds the place. Usually it is the directory that the call names. A pattern may lead outside it,
 * by `../` or as an absolute path. Then the place is that directory.
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
    // In ripgrep's globs a leading slash means the searched directory. An absolute path is used
    // only if it exists and that reading finds no directory.
    const isMeant = !isInside(named, directory) && !(await isDirectory(fs, joinPath(named, start)));
    if (!isMeant || !(await isDirectory(fs, directory))) return below;
  }
  // Security: rules were checked for the directory in the call. If a rule asks about this one, the
  // call has to name it.
  await fs.access(directory, fileConstants.R_OK).catch((error: unknown) => {
    throw new ToolError(
      `A person must be asked before ${directory} is searched, where the pattern leads. Give it as path, and ` +
        `${JSON.stringify(rest)} as pattern.`,
      { code: 'EACCES', data: { path: directory }, cause: error },
    );
  });
  return { directory, glob: rest };
}

/**
 * The directory that a pattern begins with, as it is written, and the rest. Empty for a pattern
 * without one.
 */
function splitPattern(pattern: string): { readonly start: string; readonly rest: string } {
  const special = pattern.search(/[*?[{\\]/u);
  const plain = special === -1 ? pattern.replace(/\/+$/u, '') : pattern.slice(0, special);
  const end = pattern.startsWith('!') ? 0 : Math.max(plain.lastIndexOf('/'), 0);
  return { start: pattern.slice(0, end), rest: pattern.slice(end) };
}
