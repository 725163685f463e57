// Converts what a page has of files (a folder handle, a file list, bytes) to a message for the FS
// worker. Nothing is read here. Bytes are copied, because they belong to the caller.
import { SdkError } from '../../../core/errors.ts';
import { BatchCollector } from '../wire/import-batches.ts';
import type { ImportEntry, ImportSource } from '../wire/protocol.ts';

/**
 * A folder from `showDirectoryPicker`, the files of an `<input type="file" webkitdirectory>`, or
 * entries: bytes, blobs, links, directories.
 */
export type ImportableFiles = FileSystemDirectoryHandle | Iterable<File | ImportEntry>;

type EntryWithBytes = Extract<ImportEntry, { readonly bytes: Uint8Array }>;

/** A message and the buffers that are transferred with it. */
export interface PackedSource {
  readonly source: ImportSource;
  readonly transfer: readonly ArrayBuffer[];
}

/** @throws SdkError `bad-usage` for anything else. */
export function toImportSource(files: ImportableFiles): PackedSource {
  if (files instanceof FileSystemDirectoryHandle) {
    return { source: { kind: 'directory', handle: files }, transfer: [] };
  }
  if (typeof files !== 'object' || files === null || !(Symbol.iterator in files)) {
    throw new SdkError(
      'bad-usage',
      'importFiles takes a FileSystemDirectoryHandle, a list of File, or entries { path, bytes }.',
    );
  }
  return packEntries(Array.from(files, toEntry));
}

function toEntry(file: File | ImportEntry): ImportEntry {
  if (!(file instanceof File)) return 'bytes' in file ? withBytes(file) : file;
  // Files of a folder have a path whose first part is the folder's name. It is dropped, so that a
  // folder has the same paths whether it comes from a handle or an input.
  const [, ...below] = file.webkitRelativePath.split('/');
  return { path: below.length > 0 ? below.join('/') : file.name, file };
}

/** Accepts any view, as its bytes. Copying any other value would give zeros, or nothing. */
function withBytes(entry: EntryWithBytes): EntryWithBytes {
  const given: unknown = entry.bytes;
  // The cast: a browser without `detached` has undefined there.
  const isView =
    ArrayBuffer.isView(given) && !(given.buffer as { readonly detached?: boolean }).detached;
  if (!isView) {
    const message = `importFiles: the bytes of "${entry.path}" are no Uint8Array, or were given away.`;
    throw new SdkError('bad-usage', message, { data: { path: entry.path } });
  }
  if (given instanceof Uint8Array) return entry;
  const { buffer, byteOffset, byteLength } = given;
  return { ...entry, bytes: new Uint8Array(buffer, byteOffset, byteLength) };
}

/**
 * Packs the bytes of each batch into one transferred buffer. Receiving 10 000 small files that were
 * cloned separately took the worker ten times as long.
 */
function packEntries(entries: readonly ImportEntry[]): PackedSource {
  const packed: ImportEntry[] = [];
  const transfer: ArrayBuffer[] = [];
  const collector = new BatchCollector<ImportEntry>();
  const pack = (batch: readonly ImportEntry[]) => {
    const buffer = new ArrayBuffer(batch.reduce((sum, entry) => sum + byteLength(entry), 0));
    transfer.push(buffer);
    let offset = 0;
    for (const entry of batch) {
      if (!('bytes' in entry)) {
        packed.push({ ...entry });
        continue;
      }
      const bytes = new Uint8Array(buffer, offset, entry.bytes.length);
      bytes.set(entry.bytes);
      packed.push({ ...entry, bytes });
      offset += bytes.length;
    }
  };
  for (const entry of entries) if (collector.add(entry, byteLength(entry))) pack(collector.take());
  pack(collector.take());
  return { source: { kind: 'entries', entries: packed }, transfer };
}

function byteLength(entry: ImportEntry): number {
  return 'bytes' in entry ? entry.bytes.length : 0;
}
