// Which files below a directory a search looks into, by ripgrep's rules.
import type { FileSystem } from '../files/file-system.ts';
import { compileFileType } from './file-types.ts';

export interface SearchFile {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
}

export interface FileFilter {
  /** Absolute. Entered even if it is ignored itself. */
  readonly directory: string;
  /** What the globs are relative to. */
  readonly globRoot: string;
  readonly globs: readonly string[];
  /** A name of the table in file-types.ts. */
  readonly type?: string | undefined;
}

// Where other version control systems keep what is theirs. A walk never enters `.git`.
const versionControl = ['!.svn', '!.hg', '!.bzr', '!.jj', '!.sl'];

/**
 * In the order of their paths; hidden files are among them, links are not. A glob that asks for
 * files beats ignore rules and the type, as in ripgrep.
 *
 * @throws ToolError `invalid-input` for a glob or a type that can't be used.
 */
export async function selectFiles(
  fs: Pick<FileSystem, 'walk'>,
  { directory, globRoot, globs, type }: FileFilter,
): Promise<SearchFile[]> {
  const isOfType = type === undefined ? undefined : compileFileType(type);
  const entries = await fs.walk(directory, {
    includeHidden: true,
    globs: { root: globRoot, patterns: [...versionControl, ...globs] },
  });
  const asksForFiles = globs.some((glob) => !glob.startsWith('!'));
  return entries.filter(
    (entry) => entry.type === 'file' && (asksForFiles || !isOfType || isOfType(entry.path)),
  );
}

/** The newest first; files of one moment in the order in which they come. */
export function newestFirst<File extends { readonly mtimeMs: number }>(
  files: readonly File[],
): File[] {
  return files.toSorted((a, b) => b.mtimeMs - a.mtimeMs);
}
