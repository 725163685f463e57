// The synchronous file system over a draft, for code in the same realm as its files, such as a Repl
// cell's `fs`.
import type { ContentSource } from '../state/content-source.ts';
import type { FileContent } from '../tree/tree.ts';
import { copyFile, copyPath, linkPath } from './copy-operations.ts';
import { createDescriptors } from './descriptors.ts';
import { editFile, locateForOpen } from './edit-file.ts';
import { checkEncoding, fromSharedBytes } from './file-data.ts';
import {
  appendEdit,
  openEdit,
  partEdit,
  partOf,
  readingFlags,
  truncateEdit,
  writeEdit,
} from './file-edits.ts';
import type {
  BinaryOption,
  BufferNameOptions,
  Encoding,
  EncodingOption,
  NameOptions,
  ReaddirOptions,
} from './file-options.ts';
import type { Dirent, Stats, SyncFileSystem } from './file-system.ts';
import {
  accessPath,
  findReadableFile,
  listEntries,
  listNames,
  pathExists,
  readLink,
  realPathOf,
  statIfAsked,
} from './read-operations.ts';
import type { FileScope } from './read-operations.ts';
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

/** Reads contents through the source's synchronous functions. If it has none, reading throws. */
export function createSyncFileSystem(scope: FileScope, contents: ContentSource): SyncFileSystem {
  const load = (content: FileContent): Uint8Array =>
    typeof content === 'number' ? contents.readSync(content) : content;

  function readlinkSync(path: string, options: BufferNameOptions): Uint8Array;
  function readlinkSync(path: string, options?: NameOptions): string;
  function readlinkSync(path: string, options?: NameOptions | BufferNameOptions) {
    return readLink(scope, path, options);
  }

  function readFileSync(path: string, options: EncodingOption): string;
  function readFileSync(path: string, options?: BinaryOption): Uint8Array<ArrayBuffer>;
  function readFileSync(path: string, options?: EncodingOption | BinaryOption) {
    const call = { syscall: 'open', path };
    checkEncoding(options, call);
    if (readingFlags(scope, path, options, call).write)
      editFile(scope, openEdit(path, options, call), load);
    return fromSharedBytes(load(findReadableFile(scope, path, call).content), options, call);
  }

  function viewFileSync(path: string): Uint8Array {
    return load(findReadableFile(scope, path, { syscall: 'open', path }).content);
  }

  function readdirSync(
    path: string,
    options: ReaddirOptions & { readonly withFileTypes: true },
  ): Dirent[];
  function readdirSync(path: string, options?: ReaddirOptions | Encoding | null): string[];
  function readdirSync(
    path: string,
    options?: (ReaddirOptions & { readonly withFileTypes?: boolean }) | Encoding | null,
  ) {
    const settings = typeof options === 'object' && options !== null ? options : {};
    return settings.withFileTypes === true
      ? listEntries(scope, path, settings)
      : listNames(scope, path, options);
  }

  // The cast is safe: statIfAsked returns undefined only if it was asked to.
  const stat = (follow: boolean) =>
    ((path: string, options?: object) =>
      statIfAsked(scope, path, { follow, options })) as SyncFileSystem['statSync'] &
      ((path: string) => Stats);

  const files = {
    readFileSync,
    viewFileSync,
    readdirSync,
    writeFileSync(path, data, options) {
      editFile(scope, writeEdit(scope, path, data, options), load);
    },
    appendFileSync(path, data, options) {
      editFile(scope, appendEdit(scope, path, data, options), load);
    },
    truncateSync(path, length) {
      editFile(scope, truncateEdit(scope, path, length), load);
    },
    openPathSync(path, flags, mode) {
      const call = { syscall: 'open', path };
      const edit = openEdit(path, { flag: flags, mode }, call);
      return edit.flags.write
        ? editFile(scope, edit, load)
        : locateForOpen(scope, path, edit.flags, call).path;
    },
    readPartSync(path, position, length) {
      const call = { syscall: 'read', path };
      return partOf(load(findReadableFile(scope, path, call).content), position, length, call);
    },
    writePartSync(path, position, data) {
      const { edit, end } = partEdit(scope, path, position, data);
      editFile(scope, edit, load);
      return end();
    },
    existsSync: (path) => pathExists(scope, path),
    accessSync: (path, mode) => accessPath(scope, path, mode),
    statSync: stat(true),
    lstatSync: stat(false),
    realpathSync: (path, options) => realPathOf(scope, path, options),
    readlinkSync,
    mkdirSync: (path, options) => makeDirectory(scope, path, options),
    mkdtempSync: (prefix, options) => makeTemporaryDirectory(scope, prefix, options),
    rmSync: (path, options) => removePath(scope, path, options),
    rmdirSync: (path) => removeDirectory(scope, path),
    unlinkSync: (path) => removeLink(scope, path),
    renameSync: (from, to) => renamePath(scope, from, to),
    copyFileSync: (from, to, mode) => copyFile(scope, from, to, mode),
    cpSync: (from, to, options) => copyPath(scope, from, to, options),
    symlinkSync: (target, path) => makeSymlink(scope, target, path),
    linkSync: (existing, path) => linkPath(scope, existing, path),
    chmodSync: (path, mode) => changeMode(scope, path, mode),
    utimesSync: (path, atime, mtime) =>
      changeTimes(scope, path, { atime, mtime }, { follow: true }),
    lutimesSync: (path, atime, mtime) =>
      changeTimes(scope, path, { atime, mtime }, { follow: false }),
  } satisfies Partial<SyncFileSystem>;
  return { ...files, ...createDescriptors(files) };
}
