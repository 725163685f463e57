// The promises face over a draft, with the synchronous one beside it: what a handler gets. The same
// bodies serve both; only contents come another way, in batches.
import type { ContentId } from '../core/change-set.ts';
import type { FsCall } from './access.ts';
import type { ContentSource } from './content-source.ts';
import { concatBytes, fromSharedBytes, toOwnBytes } from './file-data.ts';
import type {
  BinaryOption,
  Dirent,
  EncodingOption,
  LocalFileSystem,
  ReaddirOptions,
} from './file-system.ts';
import { findReadableFile } from './read-operations.ts';
import type { FileScope } from './read-operations.ts';
import { createSyncFileSystem } from './sync-file-system.ts';
import type { FileContent, FileNode } from './tree.ts';
import { walkTree } from './walk.ts';
import { locateForWrite, resized, writeFile } from './write-operations.ts';

/** Operations that need no content are those of the synchronous face, done before they return. */
export function createLocalFileSystem(scope: FileScope, contents: ContentSource): LocalFileSystem {
  const sync = createSyncFileSystem(scope, contents);

  // A number names a content of the workspace; bytes are the draft's own.
  const load = async (content: FileContent): Promise<Uint8Array> =>
    typeof content === 'number' ? first(await contents.readMany([content])) : content;

  /** Writes what `change` makes of the file's bytes; begins anew if it was written meanwhile. */
  async function rewrite(
    path: string,
    call: FsCall,
    find: () => FileNode | undefined,
    change: (bytes: Uint8Array) => Uint8Array,
  ): Promise<void> {
    for (;;) {
      const file = find();
      const bytes = file ? await load(file.content) : new Uint8Array(0);
      if (find()?.content !== file?.content) continue;
      writeFile(scope, path, change(bytes), call);
      return;
    }
  }

  async function readFile(path: string, options: EncodingOption): Promise<string>;
  async function readFile(path: string, options?: BinaryOption): Promise<Uint8Array>;
  async function readFile(path: string, options?: EncodingOption | BinaryOption) {
    const call = { syscall: 'open', path };
    return fromSharedBytes(await load(findReadableFile(scope, path, call).content), options, call);
  }

  async function readdir(
    path: string,
    options: ReaddirOptions & { readonly withFileTypes: true },
  ): Promise<Dirent[]>;
  async function readdir(path: string, options?: ReaddirOptions): Promise<string[]>;
  async function readdir(
    path: string,
    options?: ReaddirOptions & { readonly withFileTypes?: boolean },
  ) {
    return options?.withFileTypes === true
      ? sync.readdirSync(path, { ...options, withFileTypes: true })
      : sync.readdirSync(path, options);
  }

  return {
    sync,
    readFile,
    readdir,
    async writeFile(path, data) {
      const call = { syscall: 'open', path };
      writeFile(scope, path, toOwnBytes(data, call), call);
    },
    async appendFile(path, data) {
      const call = { syscall: 'open', path };
      const added = toOwnBytes(data, call);
      const find = () => locateForWrite(scope, path, call).file;
      await rewrite(path, call, find, (bytes) => concatBytes(bytes, added));
    },
    async truncate(path, length = 0) {
      const call = { syscall: 'open', path };
      const find = () => findReadableFile(scope, path, call);
      await rewrite(path, call, find, (bytes) => resized(bytes, length, call));
    },
    readMany: (paths) => readMany(scope, contents, paths),
    walk: (directory, options) => walkTree(scope, contents, directory, options),
    access: async (path) => sync.accessSync(path),
    stat: async (path) => sync.statSync(path),
    lstat: async (path) => sync.lstatSync(path),
    realpath: async (path) => sync.realpathSync(path),
    readlink: async (path) => sync.readlinkSync(path),
    mkdir: async (path, options) => sync.mkdirSync(path, options),
    mkdtemp: async (prefix) => sync.mkdtempSync(prefix),
    rm: async (path, options) => sync.rmSync(path, options),
    rmdir: async (path) => sync.rmdirSync(path),
    unlink: async (path) => sync.unlinkSync(path),
    rename: async (from, to) => sync.renameSync(from, to),
    copyFile: async (from, to) => sync.copyFileSync(from, to),
    cp: async (from, to, options) => sync.cpSync(from, to, options),
    symlink: async (target, path) => sync.symlinkSync(target, path),
    chmod: async (path, mode) => sync.chmodSync(path, mode),
    utimes: async (path, atime, mtime) => sync.utimesSync(path, atime, mtime),
  };
}

/** Resolves all paths on one tree, then asks for all contents at once. */
async function readMany(
  scope: FileScope,
  contents: ContentSource,
  paths: readonly string[],
): Promise<(Uint8Array | Error)[]> {
  const results: (Uint8Array | Error)[] = [];
  const wanted: { readonly at: number; readonly contentId: ContentId }[] = [];
  paths.forEach((path, at) => {
    try {
      const { content } = findReadableFile(scope, path, { syscall: 'open', path });
      if (typeof content === 'number') wanted.push({ at, contentId: content });
      results[at] = typeof content === 'number' ? new Uint8Array(0) : new Uint8Array(content);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      results[at] = error;
    }
  });
  const loaded = await contents.readMany(wanted.map(({ contentId }) => contentId));
  wanted.forEach(({ at }, index) => {
    results[at] = new Uint8Array(loaded[index] ?? missingContent());
  });
  return results;
}

function first(loaded: readonly Uint8Array[]): Uint8Array {
  return loaded[0] ?? missingContent();
}

function missingContent(): never {
  throw new TypeError('A ContentSource answered with fewer contents than were asked for.');
}
