// The synchronous face over a draft, for code that runs beside its files (a Repl cell's `fs`).
import type { ContentSource } from './content-source.ts';
import { concatBytes, fromSharedBytes, toOwnBytes } from './file-data.ts';
import type {
  BinaryOption,
  Dirent,
  EncodingOption,
  FileData,
  ReaddirOptions,
  SyncFileSystem,
} from './file-system.ts';
import {
  accessPath,
  findReadableFile,
  listEntries,
  listNames,
  pathExists,
  readLink,
  realPathOf,
  statPath,
} from './read-operations.ts';
import type { FileScope } from './read-operations.ts';
import type { FileNode } from './tree.ts';
import {
  changeMode,
  changeTimes,
  copyFile,
  copyPath,
  locateForWrite,
  makeDirectory,
  makeSymlink,
  makeTemporaryDirectory,
  removeDirectory,
  removeLink,
  removePath,
  renamePath,
  resized,
  writeFile,
} from './write-operations.ts';

/** Reads contents through the source's synchronous half; where it has none, reading throws. */
export function createSyncFileSystem(scope: FileScope, contents: ContentSource): SyncFileSystem {
  const bytesOf = (file: FileNode): Uint8Array =>
    typeof file.content === 'number' ? contents.readSync(file.content) : file.content;

  function readFileSync(path: string, options: EncodingOption): string;
  function readFileSync(path: string, options?: BinaryOption): Uint8Array;
  function readFileSync(path: string, options?: EncodingOption | BinaryOption) {
    const call = { syscall: 'open', path };
    return fromSharedBytes(bytesOf(findReadableFile(scope, path, call)), options, call);
  }

  function readdirSync(
    path: string,
    options: ReaddirOptions & { readonly withFileTypes: true },
  ): Dirent[];
  function readdirSync(path: string, options?: ReaddirOptions): string[];
  function readdirSync(
    path: string,
    options?: ReaddirOptions & { readonly withFileTypes?: boolean },
  ) {
    return options?.withFileTypes === true
      ? listEntries(scope, path, options)
      : listNames(scope, path, options);
  }

  return {
    readFileSync,
    readdirSync,
    writeFileSync(path, data) {
      const call = { syscall: 'open', path };
      writeFile(scope, path, toOwnBytes(data, call), call);
    },
    appendFileSync(path: string, data: FileData) {
      const call = { syscall: 'open', path };
      const { file } = locateForWrite(scope, path, call);
      const added = toOwnBytes(data, call);
      writeFile(scope, path, file ? concatBytes(bytesOf(file), added) : added, call);
    },
    truncateSync(path, length = 0) {
      const call = { syscall: 'open', path };
      const file = findReadableFile(scope, path, call);
      writeFile(scope, path, resized(bytesOf(file), length, call), call);
    },
    existsSync: (path) => pathExists(scope, path),
    accessSync: (path) => accessPath(scope, path),
    statSync: (path) => statPath(scope, path, { follow: true }),
    lstatSync: (path) => statPath(scope, path, { follow: false }),
    realpathSync: (path) => realPathOf(scope, path),
    readlinkSync: (path) => readLink(scope, path),
    mkdirSync: (path, options) => makeDirectory(scope, path, options),
    mkdtempSync: (prefix) => makeTemporaryDirectory(scope, prefix),
    rmSync: (path, options) => removePath(scope, path, options),
    rmdirSync: (path) => removeDirectory(scope, path),
    unlinkSync: (path) => removeLink(scope, path),
    renameSync: (from, to) => renamePath(scope, from, to),
    copyFileSync: (from, to) => copyFile(scope, from, to),
    cpSync: (from, to, options) => copyPath(scope, from, to, options),
    symlinkSync: (target, path) => makeSymlink(scope, target, path),
    chmodSync: (path, mode) => changeMode(scope, path, mode),
    utimesSync: (path, atime, mtime) => changeTimes(scope, path, atime, mtime),
  };
}
