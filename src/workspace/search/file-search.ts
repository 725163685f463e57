// Searching the files of one view: the list of them, and their texts. What it knows it has from the
// realm's own memory (search-memory.ts), which all views share.
import { SdkError } from '../../core/errors.ts';
import type { ContentSource } from '../content-source.ts';
import { createFsError } from '../files/fs-error.ts';
import { findIn, findReadableFile, type FileScope } from '../files/read-operations.ts';
import type { FileChoice, FileList, FileOrder, SearchFile } from './kept-files.ts';
import { readAhead, type ReadAheadOptions } from './read-ahead.ts';
import type { SearchMemory } from './search-memory.ts';
import { visitTexts, type VisitOptions, type VisitText } from './visit-texts.ts';

/** One view's files as a search sees them. Denied files are absent. */
export interface FileSearch {
  /**
   * The files below a directory as they are now; those that ignore files leave out aren't in it, unless
   * a choice asks for them. Costs what has changed since the last time.
   *
   * @throws SdkError `ENOENT`, `ENOTDIR`, `EACCES` as `readdir` would.
   */
  list(directory: string, choice?: FileChoice): Promise<FileList>;
  /** One file that was named itself. Throws as `stat` would. */
  file(path: string): SearchFile;
  /**
   * Reads what a search of the directory would have to read first, and resolves when all is indexed.
   * After a search the rest of what it was asked about is read in the background anyway.
   */
  prepare(directory: string, options: ReadAheadOptions): Promise<void>;
  /** Hands out the texts of files in the order given: see {@link visitTexts}. */
  visit(order: FileOrder, options: VisitOptions, visit: VisitText): Promise<void>;
}

export function createFileSearch(
  scope: FileScope,
  contents: ContentSource,
  memory: SearchMemory,
): FileSearch {
  const { gate, draft } = scope;
  const texts = { contents, index: memory.index };
  const list = async (directory: string, choice?: FileChoice): Promise<FileList> => {
    const call = { syscall: 'scandir', path: directory };
    const { path, node } = findIn(scope, directory, { follow: true, call });
    if (node.kind !== 'directory') throw createFsError('ENOTDIR', call);
    const source = { ...texts, root: draft.root, gate };
    return memory.keptFiles(gate.readKey, path).files(source, choice);
  };
  return {
    list,
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
      const { byPath } = await list(directory);
      await readAhead(texts, byPath.files, options);
    },
    async visit(order, options, visit) {
      await visitTexts(texts, order, options, visit);
      if (!options.isExplicit) memory.readRest(texts, order, options.maxFileBytes);
    },
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
