// Selects the files below a directory for a search, by ripgrep's rules.
import type { FileSearch } from './file-search.ts';
import { compileFileType } from './file-types.ts';
import { compileGlobs } from '../core/glob/search-glob.ts';
import type { FileList } from './index/kept-files.ts';
import type { PaceOptions } from './index/pace.ts';

export interface FileFilter {
  /** Absolute. The directory is entered even if it is ignored itself. */
  readonly directory: string;
  /** The directory that the globs are relative to. */
  readonly globRoot: string;
  readonly globs: readonly string[];
  /** A name of the table in file-types.ts. */
  readonly type?: string | undefined;
}

/**
 * Selects files, including hidden ones but not links. As in ripgrep, a glob that selects files overrides ignore rules
 * and the type.
 * @throws ToolError `invalid-input` for an invalid glob or type; the errors of `pace`
 */
export function selectFiles(
  search: FileSearch,
  { directory, globRoot, globs, type }: FileFilter,
  pace?: PaceOptions,
): Promise<FileList> {
  if (globs.length === 0 && type === undefined) return search.list(directory, { pace });
  const asksForFiles = globs.some((glob) => !glob.startsWith('!'));
  const isOfType = type === undefined || asksForFiles ? undefined : compileFileType(type);
  const choice = {
    key: JSON.stringify([globRoot, globs, type]),
    globs: compileGlobs(globRoot, globs),
    accepts: (path: string) => !isOfType || isOfType(path),
  };
  return search.list(directory, { choice, pace });
}
