// The promise-based operations over a draft, one function each. local-file-system.ts builds a
// view's file system from them. The writer calls them directly, because creating a file system
// costs more than most operations.
import type { ContentId } from '../../core/change-set.ts';
import { readContent, type ContentSource } from '../state/content-source.ts';
import { copyFile, copyPathLater, linkPath } from './copy-operations.ts';
import { editFileLater, locateForOpen } from './edit-file.ts';
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
import type { FileOperation } from './file-operations.ts';
import type { Encoding, ReaddirOptions } from './file-options.ts';
import type { FileSystem } from './file-system.ts';
import { findReadableFiles } from './find-files.ts';
import {
  accessPath,
  findReadableFile,
  listEntries,
  listNames,
  readLink,
  realPathOf,
  statPath,
} from './read-operations.ts';
import type { FileScope } from './read-operations.ts';
import { walkTree } from './walk.ts';
import {
  changeMode,
  changeTimes,
  makeDirectory,
  makeSymlink,
  makeTemporaryDirectory,
  removeDirectory,
  removeLink,
  removePath,
  renamePath,
} from './write-operations.ts';

/** What an operation works on: a view's draft, and the source of its contents. */
export interface FileGround {
  readonly scope: FileScope;
  readonly contents: ContentSource;
}

type Operations = {
  readonly [Name in FileOperation]: (
    ground: FileGround,
    ...parameters: Parameters<FileSystem[Name]>
  ) => Promise<unknown>;
};

/**
 * Each implements the method of {@link FileSystem}. An operation that needs no content is complete
 * when it returns.
 */
const operations: Operations = {
  async readFile(ground, path, options) {
    const { scope } = ground;
    const call = { syscall: 'open', path };
    checkEncoding(options, call);
    if (readingFlags(scope, path, options, call).write) {
      await edit(ground, openEdit(path, options, call));
    }
    const { content } = findReadableFile(scope, path, call);
    return fromSharedBytes(await readContent(ground.contents, content), options, call);
  },
  async writeFile(ground, path, data, options) {
    await edit(ground, writeEdit(ground.scope, path, data, options));
  },
  async appendFile(ground, path, data, options) {
    await edit(ground, appendEdit(ground.scope, path, data, options));
  },
  async truncate(ground, path, length) {
    await edit(ground, truncateEdit(ground.scope, path, length));
  },
  async openPath(ground, path, flags, mode) {
    const call = { syscall: 'open', path };
    const opening = openEdit(path, { flag: flags, mode }, call);
    return opening.flags.write
      ? edit(ground, opening)
      : locateForOpen(ground.scope, path, opening.flags, call).path;
  },
  async readPart(ground, path, position, length) {
    const { scope, contents } = ground;
    const call = { syscall: 'read', path };
    const { content, size } = findReadableFile(scope, path, call);
    if (typeof content !== 'number' || !contents.readPart) {
      return partOf(await readContent(ground.contents, content), position, length, call);
    }
    const { from, to } = rangeOf(size, position, length, call);
    // A copy that belongs to the caller.
    return (await contents.readPart(content, from, to - from)).slice();
  },
  async writePart(ground, path, position, data) {
    const { edit: change, end } = partEdit(ground.scope, path, position, data);
    await edit(ground, change);
    return end();
  },
  async readdir(
    { scope },
    path,
    options?: (ReaddirOptions & { readonly withFileTypes?: boolean }) | Encoding | null,
  ) {
    return typeof options === 'object' && options?.withFileTypes === true
      ? listEntries(scope, path, options)
      : listNames(scope, path, options);
  },
  readMany: async (ground, paths, encoding) => readMany(ground, paths, encoding),
  walk: async ({ scope, contents }, directory, options) =>
    walkTree(scope, contents, directory, options),
  access: async ({ scope }, path, mode) => accessPath(scope, path, mode),
  stat: async ({ scope }, path) => statPath(scope, path, { follow: true }),
  lstat: async ({ scope }, path) => statPath(scope, path, { follow: false }),
  realpath: async ({ scope }, path, options) => realPathOf(scope, path, options),
  readlink: async ({ scope }, path, options) => readLink(scope, path, options),
  mkdir: async ({ scope }, path, options) => makeDirectory(scope, path, options),
  mkdtemp: async ({ scope }, prefix, options) => makeTemporaryDirectory(scope, prefix, options),
  rm: async ({ scope }, path, options) => removePath(scope, path, options),
  rmdir: async ({ scope }, path) => removeDirectory(scope, path),
  unlink: async ({ scope }, path) => removeLink(scope, path),
  rename: async ({ scope }, from, to) => renamePath(scope, from, to),
  copyFile: async ({ scope }, from, to, mode) => copyFile(scope, from, to, mode),
  cp: async ({ scope }, from, to, options) => copyPathLater(scope, from, to, options),
  symlink: async ({ scope }, target, path) => makeSymlink(scope, target, path),
  link: async ({ scope }, existing, path) => linkPath(scope, existing, path),
  chmod: async ({ scope }, path, mode) => changeMode(scope, path, mode),
  utimes: async ({ scope }, path, atime, mtime) =>
    changeTimes(scope, path, { atime, mtime }, { follow: true }),
  lutimes: async ({ scope }, path, atime, mtime) =>
    changeTimes(scope, path, { atime, mtime }, { follow: false }),
};

/**
 * Performs an operation. The caller must have validated the parameters. Rejects as the operation
 * does.
 */
export function performOperation(
  ground: FileGround,
  operation: FileOperation,
  parameters: readonly unknown[],
): Promise<unknown> {
  const perform = operations[operation] as (
    ground: FileGround,
    ...all: readonly unknown[]
  ) => Promise<unknown>;
  return perform(ground, ...parameters);
}

function edit(ground: FileGround, change: Parameters<typeof editFileLater>[1]): Promise<string> {
  return editFileLater(ground.scope, change, (content) => readContent(ground.contents, content));
}

/** Resolves all paths on one tree, then requests all contents at once. */
async function readMany(
  { scope, contents }: FileGround,
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
    // A number is the id of a content of the workspace. Bytes belong to the draft.
    if (typeof file.content !== 'number') return fromBytes(file.content);
    at += 1;
    const bytes = loaded[at - 1];
    if (bytes) return fromBytes(bytes);
    throw new TypeError('A ContentSource answered with fewer contents than were asked for.');
  });
}
