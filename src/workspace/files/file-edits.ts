// Builds the edit of each writing operation: its flags, its call and its new bytes. Arguments are
// validated here before anything changes.
import type { FsCall } from './access.ts';
import { locateForOpen } from './edit-file.ts';
import type { FileEdit } from './edit-file.ts';
import { refuseOptions, toInteger, toNewMode } from './file-arguments.ts';
import { checkSize, resized, spliced, toOwnBytes } from './file-data.ts';
import { maxFileBytes } from './file-limits.ts';
import type { FileData, FileMode, OpenFlag, WriteFileOptions } from './file-options.ts';
import { notOpenedFor, parseOpenFlags } from './open-flags.ts';
import type { OpenFlags } from './open-flags.ts';
import type { FileScope } from './read-operations.ts';

// 0o666: Node's mode of a new file, before the umask.
const usualFileMode = 0o666;

const instead = { signal: 'nothing here runs long enough to be cut' };

/** `open` without any change. */
export function openEdit(path: string, options: unknown, call: FsCall): FileEdit {
  const { flag, mode } = toSettings(options);
  const flags = parseOpenFlags(flag, 'r', call);
  return { path, flags, mode: toNewMode(mode, usualFileMode, call), call };
}

/**
 * Returns the flags of a reading operation. Throws what opening would fail with, and `EBADF` if the
 * flags don't allow reading. No file is created or truncated for a read that can't succeed.
 */
export function readingFlags(
  scope: FileScope,
  path: string,
  options: unknown,
  call: FsCall,
): OpenFlags {
  refuseOptions(options, instead, call);
  const flags = parseOpenFlags(toSettings(options).flag, 'r', call);
  if (flags.read) return flags;
  locateForOpen(scope, path, flags, call);
  throw notOpenedFor('reading', call);
}

/** `writeFile`: drops the existing content unless the flag keeps it. */
export function writeEdit(
  scope: FileScope,
  path: string,
  data: FileData,
  options: WriteFileOptions | undefined,
): FileEdit {
  return dataEdit(scope, path, data, options, 'w');
}

/** `appendFile`: same as `writeFile`, but with another default flag. */
export function appendEdit(
  scope: FileScope,
  path: string,
  data: FileData,
  options: WriteFileOptions | undefined,
): FileEdit {
  return dataEdit(scope, path, data, options, 'a');
}

function dataEdit(
  scope: FileScope,
  path: string,
  data: FileData,
  options: WriteFileOptions | undefined,
  usualFlag: OpenFlag,
): FileEdit {
  const call = { syscall: 'open', path };
  refuseOptions(options, instead, call);
  const { encoding, flag, mode } = toSettings(options);
  const flags = parseOpenFlags(flag, String(usualFlag), call);
  const added = toOwnBytes(data, encoding, call);
  if (!flags.write) {
    locateForOpen(scope, path, flags, call);
    throw notOpenedFor('writing', { syscall: 'write', path });
  }
  const limit = limitOf(scope);
  return {
    path,
    flags,
    mode: toNewMode(mode, usualFileMode, call),
    call,
    change: (bytes) =>
      bytes.length === 0
        ? added
        : spliced(bytes, added, flags.append ? bytes.length : 0, { limit, call }),
  };
}

/** `truncate`: truncates, or fills with zeros. */
export function truncateEdit(scope: FileScope, path: string, length: unknown = 0): FileEdit {
  const call = { syscall: 'open', path };
  const flags = { ...parseOpenFlags('r+', 'r+', call), read: false };
  const size = toInteger(length ?? 0, { name: 'length' }, call);
  const limit = limitOf(scope);
  // Checked before the content is loaded, with a message of its own.
  checkSize(size, { limit, call });
  return { path, flags, call, change: (bytes) => resized(bytes, size, { limit, call }) };
}

/**
 * Writes into an existing file. `end` returns the position behind the written bytes, once the edit
 * was applied.
 */
export function partEdit(
  scope: FileScope,
  path: string,
  position: number | 'end',
  data: FileData,
): { readonly edit: FileEdit; readonly end: () => number } {
  const call = { syscall: 'write', path };
  const flags = { ...parseOpenFlags('r+', 'r+', call), read: false };
  const from = position === 'end' ? position : toInteger(position, { name: 'position' }, call);
  const added = toOwnBytes(data, undefined, call);
  const limit = limitOf(scope);
  let ended = 0;
  const change = (bytes: Uint8Array) => {
    const at = from === 'end' ? bytes.length : from;
    ended = at + added.length;
    return spliced(bytes, added, at, { limit, call });
  };
  return { edit: { path, flags, call, change }, end: () => ended };
}

/** Returns a copy of a part of shared bytes. */
export function partOf(
  bytes: Uint8Array,
  position: number,
  length: number | undefined,
  call: FsCall,
): Uint8Array {
  const { from, to } = rangeOf(bytes.length, position, length, call);
  return bytes.slice(from, to);
}

/** Returns the same as a range within a file of this size. */
export function rangeOf(
  size: number,
  position: number,
  length: number | undefined,
  call: FsCall,
): { readonly from: number; readonly to: number } {
  const from = Math.min(toInteger(position, { name: 'position' }, call), size);
  const wanted = length === undefined ? size : toInteger(length, { name: 'length' }, call);
  return { from, to: Math.min(from + wanted, size) };
}

function limitOf(scope: FileScope): number {
  return scope.maxFileBytes ?? maxFileBytes;
}

/** Normalizes the options of reading and writing. An encoding alone may be given in their place. */
function toSettings(options: unknown): {
  readonly encoding?: unknown;
  readonly flag?: OpenFlag | null;
  readonly mode?: FileMode | null;
} {
  return typeof options === 'object' && options !== null ? options : { encoding: options };
}
