// Imports files into the workspace within the FS worker, so that reading them doesn't block a page.
// Each batch is one commit. An aborted import keeps the committed batches.
import { throwIfAborted } from '../../../core/async/abort.ts';
import { SdkError } from '../../../core/errors.ts';
import { compilePathGlob } from '../../../core/glob/path-glob.ts';
import { isInside, resolvePath } from '../../../core/path.ts';
import type { WriterPort } from '../../../workspace/commit/writer-port.ts';
import { BatchCollector } from '../wire/import-batches.ts';
import { ImportDraft, type ImportedFile } from './import-draft.ts';
import type {
  ImportEntry,
  ImportProgress,
  ImportSettings,
  ImportSource,
} from '../wire/protocol.ts';

/** Progress and abort of an import. */
export interface ImportOptions {
  readonly signal: AbortSignal;
  /** Called after each commit, with the durable counts. */
  readonly onProgress: (progress: ImportProgress) => void;
}

/** One entry of the import. `size` is known before the content is read. */
interface Item {
  readonly size: number;
  /** 0 for a directory. */
  readonly files: 0 | 1;
  load(): PutEntry | Promise<PutEntry>;
}

type PutEntry = (draft: ImportDraft) => void;

/**
 * Resolves to the counts when everything is committed. The next batch is read while one is being
 * written, so two are in memory. After a failure, earlier batches stay committed and were reported,
 * and nothing continues.
 *
 * @throws SdkError `invalid-input` for a path outside of the import's directory, `aborted`, and
 * what
 *   the commit throws (`ENOSPC`).
 */
export async function importEntries(
  source: ImportSource,
  settings: ImportSettings,
  writer: WriterPort,
  { signal, onProgress }: ImportOptions,
): Promise<ImportProgress> {
  const progress = { files: 0, bytes: 0, excluded: 0 };
  const excludes = settings.exclude.map((glob) => compilePathGlob(settings.directory, glob));
  const isExcluded = (path: string) => {
    const excluded = excludes.some((pattern) => pattern.test(path));
    if (excluded) progress.excluded += 1;
    return excluded;
  };

  async function commit(batch: readonly Item[], loaded: readonly PutEntry[]): Promise<void> {
    const draft = new ImportDraft(writer);
    draft.makeDirectory(settings.directory);
    for (const put of loaded) put(draft);
    const changeSet = draft.changeSet();
    if (changeSet) await writer.commit(changeSet, { author: { kind: 'user' } });
    progress.files += batch.reduce((sum, item) => sum + item.files, 0);
    progress.bytes += batch.reduce((sum, item) => sum + item.size, 0);
    onProgress({ ...progress });
  }

  let committing = Promise.resolve();
  try {
    // The last batch is committed even if it is empty, so that the directory is created and the
    // counts are reported.
    for await (const batch of listBatches(source, settings, isExcluded)) {
      throwIfAborted(signal);
      const loaded = await Promise.all(batch.map((item) => item.load()));
      // Batches are committed in sequence, because each is built on the tree that the previous one
      // has left.
      await committing;
      throwIfAborted(signal);
      committing = commit(batch, loaded);
      // The commit is awaited above or below, but not before the next batch was read.
      committing.catch(() => {});
    }
  } finally {
    await committing;
  }
  return progress;
}

type IsExcluded = (path: string) => boolean;

async function* listBatches(
  source: ImportSource,
  { directory }: ImportSettings,
  isExcluded: IsExcluded,
): AsyncGenerator<readonly Item[]> {
  const collector = new BatchCollector<Item>();
  if (source.kind === 'directory') {
    for await (const item of listHandle(directory, source.handle, isExcluded)) {
      if (collector.add(item, item.size)) yield collector.take();
    }
  } else {
    for (const item of listEntries(directory, source.entries, isExcluded)) {
      if (collector.add(item, item.size)) yield collector.take();
    }
  }
  yield collector.take();
}

async function* listHandle(
  directory: string,
  handle: FileSystemDirectoryHandle,
  isExcluded: IsExcluded,
): AsyncGenerator<Item> {
  for await (const [name, child] of handle.entries()) {
    const path = resolvePath(directory, name);
    if (isExcluded(path)) continue;
    if (child instanceof FileSystemDirectoryHandle) {
      yield directoryItem(path);
      yield* listHandle(path, child, isExcluded);
    } else if (child instanceof FileSystemFileHandle) {
      yield blobItem(path, await child.getFile());
    }
  }
}

function* listEntries(
  directory: string,
  entries: readonly ImportEntry[],
  isExcluded: IsExcluded,
): Generator<Item> {
  for (const entry of entries) {
    const path = resolvePath(directory, entry.path);
    // Security: an archive's "../../x" must not reach beyond the directory that was named.
    if (!isInside(directory, path) || path === directory) {
      throw new SdkError('invalid-input', `"${entry.path}" is no path inside ${directory}.`, {
        data: { path: entry.path, directory },
      });
    }
    if (isExcluded(path)) continue;
    if ('file' in entry) yield blobItem(path, entry.file);
    else if ('bytes' in entry) yield bytesItem(path, entry);
    else if ('target' in entry) yield linkItem(path, entry.target);
    else yield directoryItem(path);
  }
}

function directoryItem(path: string): Item {
  return { size: 0, files: 0, load: () => (draft) => draft.makeDirectory(path) };
}

function linkItem(path: string, target: string): Item {
  return { size: 0, files: 1, load: () => (draft) => draft.makeLink(path, target) };
}

function bytesItem(path: string, file: ImportedFile): Item {
  return { size: file.bytes.length, files: 1, load: () => (draft) => draft.writeFile(path, file) };
}

function blobItem(path: string, blob: Blob): Item {
  return {
    size: blob.size,
    files: 1,
    load: async () => {
      const bytes = new Uint8Array(await blob.arrayBuffer());
      const file = blob instanceof File ? { bytes, mtimeMs: blob.lastModified } : { bytes };
      return (draft) => draft.writeFile(path, file);
    },
  };
}
