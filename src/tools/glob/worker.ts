// The body of Glob: the files below a directory whose names match, the newest first.
import { ToolError } from '../../core/errors.ts';
import type { WorkContext } from '../../core/tool/handler.ts';
import { resolvePath } from '../../core/path.ts';
import { statExisting } from '../../workspace/files/stat-path.ts';
import { createDeadline, toCounts } from '../../search/deadline.ts';
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
  const directory = resolvePath(context.cwd, input.path ?? '.');
  const stats = await statExisting(fs, directory);
  if (!stats.isDirectory()) {
    throw new ToolError(
      `${directory} is a file, and path names the directory to look in. Leave path out, or use ` +
        'Read for this file.',
      { code: 'ENOTDIR', data: { path: directory } },
    );
  }
  const globs = [toRelativePattern(input.pattern, directory)];
  const files = await selectFiles(
    fs.search,
    { directory, globRoot: directory, globs },
    { signal: context.signal, checkTime },
  );
  const newest = files.newestFirst.files.slice(0, maxListedFiles);
  const total = files.size;
  return {
    durationMs: Math.round(performance.now() - startedAt),
    numFiles: newest.length,
    filenames: newest.map((file) => file.path),
    truncated: total > newest.length,
    totalMatches: total,
    countIsComplete: true,
  };
}

/** A pattern that was written as a path, absolute or with `./`, is one below the directory. */
function toRelativePattern(pattern: string, directory: string): string {
  const prefix = directory === '/' ? '/' : `${directory}/`;
  const written = [prefix, './'].find((start) => pattern.startsWith(start));
  return written === undefined ? pattern : `/${pattern.slice(written.length)}`;
}
