// Operations that read a draft's tree without file contents. They have Node's semantics and are
// checked by the access gate. sync-file-system.ts and local-file-system.ts both call them.
import { hasCode } from '../../core/errors.ts';
import type { Draft } from '../draft/draft.ts';
import { childPath, sortedNames } from '../tree/tree.ts';
import type { DirectoryNode, FileNode, TreeNode } from '../tree/tree.ts';
import type { AccessGate, FsCall } from './access.ts';
import { checkNameEncoding, toInteger } from './file-arguments.ts';
import { fileConstants } from './file-options.ts';
import type {
  BufferNameOptions,
  Encoding,
  NameOptions,
  ReaddirOptions,
  StatSyncOptions,
} from './file-options.ts';
import type { Dirent, Stats } from './file-system.ts';
import { createFsError } from './fs-error.ts';
import { locate } from './locate.ts';
import type { LocateOptions, Location } from './locate.ts';
import { createDirent, createStats, toStatsData } from './stats.ts';

/**
 * The parts of one view that operations need: its draft, its working directory, its gate and its
 * clock.
 */
export interface FileScope {
  readonly draft: Pick<Draft, 'root' | 'base' | 'put' | 'reset' | 'versionOf'>;
  readonly cwd: string;
  readonly gate: AccessGate;
  /** The most bytes in a file. @defaultValue 1 GiB */
  readonly maxFileBytes?: number;
  /** Milliseconds since the epoch, for modification times. */
  now(): number;
}

/** A location at which a node exists. */
export interface FoundLocation extends Location {
  readonly node: TreeNode;
}

/** How a path is resolved: {@link LocateOptions} without what the view provides. */
export type PathMeaning = Omit<LocateOptions, 'cwd' | 'gate'>;

/** Calls {@link locate} with what the view provides. */
export function locateIn(scope: FileScope, path: string, options: PathMeaning): Location {
  return locate(scope.draft.root, path, { ...options, cwd: scope.cwd, gate: scope.gate });
}

/** Throws `ENOENT` if nothing exists there, or nothing that this view may know of. */
export function findIn(scope: FileScope, path: string, options: PathMeaning): FoundLocation {
  const { node, ...rest } = locateIn(scope, path, options);
  if (!node) throw createFsError('ENOENT', options.call);
  return { node, ...rest };
}

/** Returns the file whose content may be read. Throws `EISDIR` for a directory. */
export function findReadableFile(scope: FileScope, path: string, call: FsCall): FileNode {
  const found = findIn(scope, path, { follow: true, call });
  if (found.node.kind !== 'file') throw createFsError('EISDIR', call);
  scope.gate.requireRead(found.path, call);
  return found.node;
}

/** `stat`, or `lstat` without `follow`. The version is that of the draft's base. */
export function statPath(
  scope: FileScope,
  path: string,
  { follow }: { readonly follow: boolean },
): Stats {
  const call = { syscall: follow ? 'stat' : 'lstat', path };
  const found = findIn(scope, path, { follow, call });
  const { root, base } = scope.draft;
  // Most drafts have changed nothing. The node is then that of the base.
  const version = root === base ? found.node.version : scope.draft.versionOf(found.path);
  return createStats(toStatsData(found.node, found.path, version));
}

/** `exists`. Never throws. */
export function pathExists(scope: FileScope, path: string): boolean {
  try {
    return (
      locateIn(scope, path, { follow: true, call: { syscall: 'access', path } }).node !== undefined
    );
  } catch {
    // As in Node, any error means that the path doesn't exist for this caller.
    return false;
  }
}

/**
 * Same as {@link statPath}, but returns undefined for a missing path with `throwIfNoEntry: false`.
 */
export function statIfAsked(
  scope: FileScope,
  path: string,
  settings: { readonly follow: boolean; readonly options: StatSyncOptions | undefined },
): Stats | undefined {
  const { follow, options } = settings;
  if (options?.throwIfNoEntry !== false) return statPath(scope, path, { follow });
  const call = { syscall: follow ? 'stat' : 'lstat', path };
  return locateUnlessMissing(scope, path, { follow, call })?.node
    ? statPath(scope, path, { follow })
    : undefined;
}

/** Also undefined if a directory on the way is missing. */
export function locateUnlessMissing(
  scope: FileScope,
  path: string,
  options: PathMeaning,
): Location | undefined {
  try {
    return locateIn(scope, path, options);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/**
 * `access`: throws if nothing exists, or if the rules forbid what `mode` requests. Permission bits
 * only count for execution (`X_OK`); reading and writing are decided by rules.
 */
export function accessPath(scope: FileScope, path: string, mode = 0): void {
  const call = { syscall: 'access', path };
  const { R_OK, W_OK, X_OK } = fileConstants;
  const asked = toInteger(mode, { name: 'mode', max: R_OK | W_OK | X_OK }, call);
  const found = findIn(scope, path, { follow: true, call });
  if ((asked & R_OK) !== 0) scope.gate.requireRead(found.path, call);
  if ((asked & W_OK) !== 0) scope.gate.requireWrite(found.path, call);
  if ((asked & X_OK) !== 0 && found.node.kind === 'file' && (found.node.mode & 0o111) === 0) {
    throw createFsError('EACCES', { ...call, message: 'nobody may run it' });
  }
}

/** `realpath`: follows every link. Rules are checked against this path. */
export function realPathOf(scope: FileScope, path: string, options?: NameOptions): string {
  const call = { syscall: 'realpath', path };
  checkNameEncoding(options, call);
  return findIn(scope, path, { follow: true, call }).path;
}

/**
 * `readlink`: the target as it was given. It counts as the link's content, so reading is checked.
 */
export function readLink(
  scope: FileScope,
  path: string,
  options?: NameOptions | BufferNameOptions,
): string | Uint8Array {
  const call = { syscall: 'readlink', path };
  const wantsBytes = (typeof options === 'object' ? options?.encoding : options) === 'buffer';
  if (!wantsBytes) checkNameEncoding(options, call);
  const found = findIn(scope, path, { follow: false, call });
  if (found.node.kind !== 'symlink') {
    throw createFsError('EINVAL', { ...call, message: 'it is not a symbolic link' });
  }
  scope.gate.requireRead(found.path, call);
  return wantsBytes ? new TextEncoder().encode(found.node.target) : found.node.target;
}

/** Returns names in order; with `recursive`, paths below the directory. */
export function listNames(
  scope: FileScope,
  path: string,
  options: ReaddirOptions | Encoding | null | undefined,
): string[] {
  const names: string[] = [];
  visitDirectory(scope, path, options, (prefix, name) => names.push(prefix + name));
  return names;
}

/** Returns the same entries with their kinds. */
export function listEntries(
  scope: FileScope,
  path: string,
  options: ReaddirOptions | Encoding | null | undefined,
): Dirent[] {
  const entries: Dirent[] = [];
  visitDirectory(scope, path, options, (_prefix, name, parentPath, node) => {
    entries.push(createDirent(name, parentPath, node.kind));
  });
  return entries;
}

/** `prefix`: the path from the directory at `path` to the one that contains the entry. */
function visitDirectory(
  scope: FileScope,
  path: string,
  options: ReaddirOptions | Encoding | null | undefined,
  visit: (prefix: string, name: string, parentPath: string, node: TreeNode) => void,
): void {
  const call = { syscall: 'scandir', path };
  checkNameEncoding(options, call);
  const found = findIn(scope, path, { follow: true, call });
  if (found.node.kind !== 'directory') throw createFsError('ENOTDIR', call);
  const isRecursive = typeof options === 'object' && options?.recursive === true;
  const visitBelow = (parentPath: string, directory: DirectoryNode, prefix: string) => {
    for (const [name, node] of visibleEntries(scope, parentPath, directory)) {
      visit(prefix, name, parentPath, node);
      if (!isRecursive || node.kind !== 'directory') continue;
      visitBelow(childPath(parentPath, name), node, `${prefix}${name}/`);
    }
  };
  visitBelow(found.path, found.node, '');
}

/** Returns a directory's entries in order, without those that the view may not know of. */
export function visibleEntries(
  scope: Pick<FileScope, 'gate'>,
  directoryPath: string,
  directory: DirectoryNode,
): (readonly [name: string, node: TreeNode])[] {
  const entries: (readonly [string, TreeNode])[] = [];
  for (const name of sortedNames(directory)) {
    const node = directory.entries.get(name);
    if (node && !scope.gate.isAbsent(childPath(directoryPath, name))) entries.push([name, node]);
  }
  return entries;
}
