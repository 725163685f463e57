// The promise-based file system over a draft, together with the synchronous one. Handlers get it.
// Both share their operations; contents are read asynchronously and in batches here.
import type { ContentId } from '../../core/change-set.ts';
import type { ContentSource } from '../state/content-source.ts';
import type { FileContent } from '../tree/tree.ts';
import { copyPathLater } from './copy-operations.ts';
import { editFileLater } from './edit-file.ts';
import { checkEncoding, fromSharedBytes, sharedBytesReader } from './file-data.ts';
import {
  appendEdit,
  openEdit,
  partEdit,
  partOf,
  rangeOf,
  readingFlags,
  truncateEdit,
  writeEdit,
} from './file-edits.ts';
import { openFileHandle } from './file-handle.ts';
import type {
  BinaryOption,
  BufferNameOptions,
  Encoding,
  EncodingOption,
  NameOptions,
  ReaddirOptions,
} from './file-options.ts';
import type { Dirent, LocalFileSystem } from './file-system.ts';
import { findReadableFiles } from './find-files.ts';
import { findReadableFile, readLink } from './read-operations.ts';
import type { FileScope } from './read-operations.ts';
import { createSyncFileSystem } from './sync-file-system.ts';
import { walkTree } from './walk.ts';
import { watchPath, watchScope } from './watch-path.ts';

/** Operations that need no content are those of the synchronous face, done before they return. */
export function createLocalFileSystem(
  unwatched: FileScope,
  contents: ContentSource,
): LocalFileSystem {
  const { scope, source } = watchScope(unwatched);
  const sync = createSyncFileSystem(scope, contents);

  // A number names a content of the workspace; bytes are the draft's own.
  const load = async (content: FileContent): Promise<Uint8Array> =>
    typeof content === 'number' ? first(await contents.readMany([content])) : content;

  async function readlink(path: string, options: BufferNameOptions): Promise<Uint8Array>;
  async function readlink(path: string, options?: NameOptions): Promise<string>;
  async function readlink(path: string, options?: NameOptions | BufferNameOptions) {
    return readLink(scope, path, options);
  }

  async function readFile(path: string, options: EncodingOption): Promise<string>;
  async function readFile(path: string, options?: BinaryOption): Promise<Uint8Array>;
  async function readFile(path: string, options?: EncodingOption | BinaryOption) {
    const call = { syscall: 'open', path };
    checkEncoding(options, call);
    if (readingFlags(scope, path, options, call).write) {
      await editFileLater(scope, openEdit(path, options, call), load);
    }
    return fromSharedBytes(await load(findReadableFile(scope, path, call).content), options, call);
  }

  async function readdir(
    path: string,
    options: ReaddirOptions & { readonly withFileTypes: true },
  ): Promise<Dirent[]>;
  async function readdir(
    path: string,
    options?: ReaddirOptions | Encoding | null,
  ): Promise<string[]>;
  async function readdir(
    path: string,
    options?: (ReaddirOptions & { readonly withFileTypes?: boolean }) | Encoding | null,
  ) {
    return typeof options === 'object' && options?.withFileTypes === true
      ? sync.readdirSync(path, { ...options, withFileTypes: true })
      : sync.readdirSync(path, options);
  }

  async function readManyFiles(
    paths: readonly string[],
    encoding: Encoding,
  ): Promise<(string | Error)[]>;
  async function readManyFiles(
    paths: readonly string[],
    encoding?: null,
  ): Promise<(Uint8Array | Error)[]>;
  async function readManyFiles(paths: readonly string[], encoding?: Encoding | null) {
    return readMany(scope, contents, paths, encoding);
  }

  const fs: LocalFileSystem = {
    sync,
    readFile,
    readdir,
    async writeFile(path, data, options) {
      await editFileLater(scope, writeEdit(scope, path, data, options), load);
    },
    async appendFile(path, data, options) {
      await editFileLater(scope, appendEdit(scope, path, data, options), load);
    },
    async truncate(path, length) {
      await editFileLater(scope, truncateEdit(scope, path, length), load);
    },
    open: (path, flags, mode) => openFileHandle(fs, path, flags, mode),
    openPath: async (path, flags, mode) => sync.openPathSync(path, flags, mode),
    async readPart(path, position, length) {
      const call = { syscall: 'read', path };
      const { content, size } = findReadableFile(scope, path, call);
      if (typeof content !== 'number' || !contents.readPart) {
        return partOf(await load(content), position, length, call);
      }
      const { from, to } = rangeOf(size, position, length, call);
      // The caller's own.
      return (await contents.readPart(content, from, to - from)).slice();
    },
    async writePart(path, position, data) {
      const { edit, end } = partEdit(scope, path, position, data);
      await editFileLater(scope, edit, load);
      return end();
    },
    watch: (path, options) => watchPath(fs, source, path, options),
    readMany: readManyFiles,
    walk: (directory, options) => walkTree(scope, contents, directory, options),
    access: async (path, mode) => sync.accessSync(path, mode),
    stat: async (path) => sync.statSync(path),
    lstat: async (path) => sync.lstatSync(path),
    realpath: async (path, options) => sync.realpathSync(path, options),
    readlink,
    mkdir: async (path, options) => sync.mkdirSync(path, options),
    mkdtemp: async (prefix, options) => sync.mkdtempSync(prefix, options),
    rm: async (path, options) => sync.rmSync(path, options),
    rmdir: async (path) => sync.rmdirSync(path),
    unlink: async (path) => sync.unlinkSync(path),
    rename: async (from, to) => sync.renameSync(from, to),
    copyFile: async (from, to, mode) => sync.copyFileSync(from, to, mode),
    cp: (from, to, options) => copyPathLater(scope, from, to, options),
    symlink: async (target, path) => sync.symlinkSync(target, path),
    link: async (existing, path) => sync.linkSync(existing, path),
    chmod: async (path, mode) => sync.chmodSync(path, mode),
    utimes: async (path, atime, mtime) => sync.utimesSync(path, atime, mtime),
    lutimes: async (path, atime, mtime) => sync.lutimesSync(path, atime, mtime),
  };
  return fs;
}

/** Resolves all paths on one tree, then asks for all contents at once. */
async function readMany(
  scope: FileScope,
  contents: ContentSource,
  paths: readonly string[],
  encoding: Encoding | null | undefined,
): Promise<(string | Uint8Array | Error)[]> {
  const call = { syscall: 'read', path: paths[0] ?? '' };
  const fromBytes = sharedBytesReader({ encoding }, call);
  const found = findReadableFiles(scope, paths);
  const wanted: ContentId[] = [];
  for (const file of found) {
    if (!(file instanceof Error) && typeof file.content === 'number') wanted.push(file.content);
  }
  const loaded = await contents.readMany(wanted);
  let at = 0;
  return found.map((file) => {
    if (file instanceof Error) return file;
    // A number names a content of the workspace; bytes are the draft's own.
    if (typeof file.content !== 'number') return fromBytes(file.content);
    at += 1;
    return fromBytes(loaded[at - 1] ?? missingContent());
  });
}

function first(loaded: readonly Uint8Array[]): Uint8Array {
  return loaded[0] ?? missingContent();
}

function missingContent(): never {
  throw new TypeError('A ContentSource answered with fewer contents than were asked for.');
}
