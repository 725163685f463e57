// Searches the files of one view: their list and their texts. It caches both in the realm's memory
// (index/search-memory.ts), which all views share.
import { SdkError } from '../core/errors.ts';
import { joinPath, resolvePath } from '../core/path.ts';
import { createFsError } from '../workspace/files/fs-error.ts';
import { findIn, findReadableFile, type FileScope } from '../workspace/files/read-operations.ts';
import type { ViewFiles } from '../workspace/draft/view.ts';
import { FileList, type FileChoice, type FileOrder, type SearchFile } from './index/kept-files.ts';
import { Pace, type PaceOptions } from './index/pace.ts';
import type { ReadAheadOptions } from './index/read-ahead.ts';
import type { SearchMemory } from './index/search-memory.ts';
import type { IndexPlans } from './index/index-plan.ts';
import {
  estimateBytes,
  visitTexts,
  type VisitOptions,
  type VisitText,
} from './index/visit-texts.ts';

export interface ListOptions {
  readonly choice?: FileChoice | undefined;
  /** How the listing yields and is cancelled, because a tree of a million files takes seconds. */
  readonly pace?: PaceOptions | undefined;
}

/** The files of one view, as a search sees them, without denied files. */
export interface FileSearch {
  /**
   * Lists the present files below a directory. Files that ignore files exclude are left out, unless a choice selects
   * them. Takes time in proportion to the changes since the last call. Each path begins with the given directory as
   * it was written, also through links, and a choice gets these paths.
   *
   * @throws SdkError `ENOENT`, `ENOTDIR` or `EACCES` as `readdir` does; errors of `pace`
   */
  list(directory: string, options?: ListOptions): Promise<FileList>;
  /** A file that the search names itself. Throws as `stat` does. */
  file(path: string): SearchFile;
  /**
   * Reads and indexes everything that a search of the directory would have to read. Resolves when all is indexed. If
   * it isn't called, a search reads the rest in the background afterwards.
   */
  prepare(directory: string, options: ReadAheadOptions): Promise<void>;
  /** How many bytes a visit would read, estimated from a sample of the files. */
  estimateBytes(order: FileOrder, plans: IndexPlans, maxFileBytes: number): number;
  /** Visits the texts of files in the given order: see {@link visitTexts}. */
  visit(order: FileOrder, options: VisitOptions, visit: VisitText): Promise<void>;
}

/** Creates the search of a view. `memory` must be of the view's era. */
export function createFileSearch(
  { scope, contents }: Pick<ViewFiles, 'scope' | 'contents'>,
  memory: SearchMemory,
): FileSearch {
  const { gate, draft } = scope;
  const texts = { contents, index: memory.index };
  const list = async (directory: string, options: ListOptions = {}): Promise<FileList> => {
    await memory.saving.restore(options.pace?.signal);
    const call = { syscall: 'scandir', path: directory };
    const { path, node } = findIn(scope, directory, { follow: true, call });
    if (node.kind !== 'directory') throw createFsError('ENOTDIR', call);
    const source = { ...texts, root: draft.root, gate };
    const { choice } = options;
    const pace = new Pace(options.pace);
    const kept = memory.keptFiles(gate.readKey, path);
    // Paths through a link are reported as they were requested. That isn't possible for `..` after a link.
    const isPlain = !directory.split('/').includes('..');
    const asked = isPlain ? resolvePath(scope.cwd, directory) : path;
    if (asked === path) return kept.files(source, choice, pace);
    const renamed = (real: string) => joinPath(asked, real.slice(path.length));
    const { byPath } = await kept.files(source, choice && rename(choice, asked, renamed), pace);
    return new FileList(byPath.files.map((file) => ({ ...file, path: renamed(file.path) })));
  };
  return {
    list,
    estimateBytes: (order, plans, maxFileBytes) =>
      estimateBytes(memory.index, order, { plans, maxFileBytes }),
    file(path) {
      const call = { syscall: 'open', path };
      const { node } = findIn(scope, path, { follow: true, call });
      if (node.kind !== 'file') throw createFsError('EISDIR', call);
      return {
        path,
        size: node.size,
        mtimeMs: node.mtimeMs,
        isReadable: mayRead(scope, path),
        entry: memory.index.entryOf(node.content),
      };
    },
    async prepare(directory, options) {
      const { byPath } = await list(directory, { pace: { signal: options.signal } });
      const { readAhead } = await import('./index/read-ahead.ts');
      await readAhead(texts, byPath.files, options);
      await memory.saving.saveIfDue();
    },
    async visit(order, options, visit) {
      await visitTexts(texts, order, options, visit);
      if (!options.isExplicit) void memory.readRest(texts, order, options.maxFileBytes);
    },
  };
}

/** Wraps the choice, so that its globs see paths as they were requested. */
function rename(
  { key, globs, accepts }: FileChoice,
  directory: string,
  renamed: (real: string) => string,
): FileChoice {
  return {
    key: JSON.stringify([key, directory]),
    globs: {
      verdict: (path, isDirectory, checkTime) =>
        globs.verdict(renamed(path), isDirectory, checkTime),
    },
    accepts: (path) => accepts(renamed(path)),
  };
}

function mayRead(scope: FileScope, path: string): boolean {
  try {
    findReadableFile(scope, path, { syscall: 'open', path });
    return true;
  } catch (error) {
    if (SdkError.isInstance(error)) return false;
    throw error;
  }
}
