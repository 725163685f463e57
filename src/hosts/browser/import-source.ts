// What a page has of files (a folder's handle, an input's list, bytes) as what crosses to the FS
// worker. Nothing is read here.
import { SdkError } from '../../core/errors.ts';
import type { ImportEntry, ImportSource } from './protocol.ts';

/**
 * A folder from `showDirectoryPicker`, the files of an `<input type="file" webkitdirectory>`, or
 * entries: bytes, blobs, links, directories.
 */
export type ImportableFiles = FileSystemDirectoryHandle | Iterable<File | ImportEntry>;

/** @throws SdkError `bad-usage` for anything else. */
export function toImportSource(files: ImportableFiles): ImportSource {
  if (files instanceof FileSystemDirectoryHandle) return { kind: 'directory', handle: files };
  if (typeof files !== 'object' || files === null || !(Symbol.iterator in files)) {
    throw new SdkError(
      'bad-usage',
      'importFiles takes a FileSystemDirectoryHandle, a list of File, or entries { path, bytes }.',
    );
  }
  return { kind: 'entries', entries: Array.from(files, toEntry) };
}

function toEntry(file: File | ImportEntry): ImportEntry {
  if (!(file instanceof File)) return file;
  // A folder's files carry their path, whose first name is the folder's own: that one is dropped,
  // so that a folder gives the same paths by its handle and by an input.
  const [, ...below] = file.webkitRelativePath.split('/');
  return { path: below.length > 0 ? below.join('/') : file.name, file };
}
