// Searching the files of one view: the list of them, and their texts. What it knows it has from the
// realm's own memory (search-memory.ts), which all views share.
import { SdkError } from '../../core/errors.ts';
import type { ContentSource } from '../content-source.ts';
import { createFsError } from '../files/fs-error.ts';
import { findIn, findReadableFile, type FileScope } from '../files/read-operations.ts';
import type { FileChoice, FileList, FileOrder, SearchFile } from './kept-files.ts';
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
  /** Hands out the texts of files in the order given: see {@link visitTexts}. */
  visit(files: FileOrder, options: VisitOptions, visit: VisitText): Promise<void>;
}

export function createFileSearch(
  scope: FileScope,
  contents: ContentSource,
  memory: SearchMemory,
): FileSearch {
  const { gate, draft } = scope;
  return {
    async list(directory, choice) {
      const call = { syscall: 'scandir', path: directory };
      const { path, node } = findIn(scope, directory, { follow: true, call });
      if (node.kind !== 'directory') throw createFsError('ENOTDIR', call);
      const source = { root: draft.root, gate, contents, index: memory.index };
      return memory.keptFiles(gate.readKey, path).files(source, choice);
    },
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
    visit: (files, options, visit) =>
      visitTexts({ contents, index: memory.index }, files, options, visit),
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
