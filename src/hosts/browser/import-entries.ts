// Loads files into the workspace from within the FS worker, where reading them blocks no page.
// A batch is one commit: whole or not there. An import that is stopped leaves the batches before.
import { throwIfAborted } from '../../core/abort.ts';
import { SdkError } from '../../core/errors.ts';
import type { PathAccess } from '../../core/path-access.ts';
import { compilePathGlob } from '../../core/path-glob.ts';
import { dirname, isInside, resolvePath } from '../../core/path.ts';
import type { SyncFileSystem } from '../../workspace/file-system.ts';
import type { ViewSource } from '../../workspace/view.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { ImportEntry, ImportProgress, ImportSettings, ImportSource } from './protocol.ts';

/**
 * One commit has at most so many files, or so many bytes and one file more: enough that flushes
 * cost little, and little enough that progress shows and an import can be stopped soon.
 */
const batchFiles = 256;
const batchBytes = 8 * 1024 * 1024;

/** The page imports as its user, whom no rule binds: everything may be written. */
const fullAccess: PathAccess = {
  cwd: '/',
  roots: ['/'],
  readOnlyRoots: [],
  rules: [],
  write: 'allow',
};

/** The workspace that is written to, and what opens drafts over it. */
export interface ImportPorts {
  readonly workspace: Workspace;
  readonly views: ViewSource;
}

/** How an import is watched and stopped. */
export interface ImportOptions {
  readonly signal: AbortSignal;
  /** Called after each commit. */
  readonly onProgress: (progress: ImportProgress) => void;
}

/** What one entry puts at its path; `size` is known before anything is read. */
interface Item {
  readonly path: string;
  readonly size: number;
  /** 0 for a directory. */
  readonly files: 0 | 1;
  load(): Promise<(fs: SyncFileSystem) => void>;
}

/**
 * Resolves with the counts when all is committed.
 *
 * @throws SdkError `invalid-input` for a path outside the import's directory, `aborted`, or what
 *   the commit throws (`ENOSPC`).
 */
export async function importEntries(
  source: ImportSource,
  settings: ImportSettings,
  { workspace, views }: ImportPorts,
  { signal, onProgress }: ImportOptions,
): Promise<ImportProgress> {
  const progress = { files: 0, bytes: 0, excluded: 0 };
  const excludes = settings.exclude.map((glob) => compilePathGlob(settings.directory, glob));
  const isExcluded = (path: string) => {
    const excluded = excludes.some((pattern) => pattern.test(path));
    if (excluded) progress.excluded += 1;
    return excluded;
  };

  async function commit(batch: readonly Item[]): Promise<void> {
    throwIfAborted(signal);
    const loaded = await Promise.all(batch.map((item) => item.load()));
    throwIfAborted(signal);
    const view = await views.openView({ root: 'main', minSeq: workspace.seq() }, fullAccess);
    view.fs.sync.mkdirSync(settings.directory, { recursive: true });
    for (const write of loaded) write(view.fs.sync);
    const changeSet = view.changeSet();
    if (changeSet) await workspace.commit(changeSet, { author: { kind: 'user' } });
    progress.files += batch.reduce((sum, item) => sum + item.files, 0);
    progress.bytes += batch.reduce((sum, item) => sum + item.size, 0);
    onProgress({ ...progress });
  }

  let batch: Item[] = [];
  let bytes = 0;
  for await (const item of listItems(source, settings, isExcluded)) {
    batch.push(item);
    bytes += item.size;
    if (batch.length < batchFiles && bytes < batchBytes) continue;
    await commit(batch);
    batch = [];
    bytes = 0;
  }
  // Also when it is empty: the directory is made, and the counts are told.
  await commit(batch);
  return progress;
}

type IsExcluded = (path: string) => boolean;

function listItems(
  source: ImportSource,
  { directory }: ImportSettings,
  isExcluded: IsExcluded,
): AsyncGenerator<Item> {
  return source.kind === 'directory'
    ? listHandle(directory, source.handle, isExcluded)
    : listEntries(directory, source.entries, isExcluded);
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

async function* listEntries(
  directory: string,
  entries: readonly ImportEntry[],
  isExcluded: IsExcluded,
): AsyncGenerator<Item> {
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
  const write = (fs: SyncFileSystem) => void fs.mkdirSync(path, { recursive: true });
  return { path, size: 0, files: 0, load: () => Promise.resolve(write) };
}

function linkItem(path: string, target: string): Item {
  const write = (fs: SyncFileSystem) => {
    fs.mkdirSync(dirname(path), { recursive: true });
    fs.rmSync(path, { recursive: true, force: true });
    fs.symlinkSync(target, path);
  };
  return { path, size: 0, files: 1, load: () => Promise.resolve(write) };
}

function bytesItem(path: string, file: FileWithBytes): Item {
  const load = () => Promise.resolve(writeFile(path, file));
  return { path, size: file.bytes.length, files: 1, load };
}

function blobItem(path: string, blob: Blob): Item {
  return {
    path,
    size: blob.size,
    files: 1,
    load: async () => {
      const bytes = new Uint8Array(await blob.arrayBuffer());
      return writeFile(
        path,
        blob instanceof File ? { bytes, mtimeMs: blob.lastModified } : { bytes },
      );
    },
  };
}

type FileWithBytes = Omit<Extract<ImportEntry, { readonly bytes: Uint8Array }>, 'path'>;

function writeFile(path: string, { bytes, mode, mtimeMs }: FileWithBytes) {
  return (fs: SyncFileSystem) => {
    fs.mkdirSync(dirname(path), { recursive: true });
    fs.writeFileSync(path, bytes);
    if (mode !== undefined) fs.chmodSync(path, mode);
    if (mtimeMs !== undefined) fs.utimesSync(path, new Date(mtimeMs), new Date(mtimeMs));
  };
}
