// Operations that change a draft. They have Node's semantics and are checked by the access gate.
// Each takes effect as a whole or not at all. Renames and copies move pointers, not bytes.
import type { SdkError } from '../../core/errors.ts';
import { isInside } from '../../core/path.ts';
import { PersistentMap } from '../tree/persistent-map.ts';
import { visitTree } from '../tree/tree.ts';
import type { TreeNode } from '../tree/tree.ts';
import type { FsCall } from './access.ts';
import { checkNameEncoding, requireMode, toNewMode, toTimeMs } from './file-arguments.ts';
import type { FileMode, FileTime, MkdirOptions, NameOptions, RmOptions } from './file-options.ts';
import { createFsError } from './fs-error.ts';
import { checkPath, endsWithDots } from './locate.ts';
import type { Location } from './locate.ts';
import { findIn, locateIn, locateUnlessMissing } from './read-operations.ts';
import type { FileScope } from './read-operations.ts';

// 0o777: Node's mode of a new directory, before the umask.
const usualDirectoryMode = 0o777;

/** `mkdir`: returns the first directory that `recursive` has created, otherwise undefined. */
export function makeDirectory(
  scope: FileScope,
  path: string,
  options?: MkdirOptions,
): string | undefined {
  const call = { syscall: 'mkdir', path };
  const { recursive = false, mode: given } =
    typeof options === 'object' && options !== null ? options : { mode: options };
  const mode = toNewMode(given, usualDirectoryMode, call);
  if (recursive) return makeDirectories(scope, path, mode, call);
  const location = locateName(scope, path, call);
  if (location.node) throw createFsError('EEXIST', call);
  putDirectory(scope, location.path, mode, call);
  return undefined;
}

/**
 * Creates missing directories from the top down. Returns the first one created, or undefined. The
 * path is resolved name by name as given, so `..` behind a link refers to the link's target.
 */
export function makeDirectories(
  scope: FileScope,
  path: string,
  mode: number,
  call: FsCall,
): string | undefined {
  checkPath(path, call);
  const missing: string[] = [];
  let current = path.startsWith('/') ? path : `${scope.cwd}/${path}`;
  for (;;) {
    const location = locateUnlessMissing(scope, current, { follow: false, isName: true, call });
    if (location?.node) {
      requireDirectory(scope, current, missing.length > 0 ? 'ENOTDIR' : 'EEXIST', call);
      break;
    }
    missing.push(current);
    if (location) break;
    current = current.slice(0, current.lastIndexOf('/')) || '/';
  }
  const before = scope.draft.root;
  try {
    for (const directory of missing.toReversed()) {
      const { path: realPath, node } = locateName(scope, directory, call);
      if (!node) putDirectory(scope, realPath, mode, call);
      // Covers `a/` after `a`, and a path that `..` leads to.
      else requireDirectory(scope, directory, 'EEXIST', call);
    }
  } catch (error) {
    // All or nothing: a deeper directory was refused.
    scope.draft.reset(before);
    throw error;
  }
  return missing.at(-1);
}

/** Checks an existing path. A dangling link is `ENOENT`, as in Node. */
function requireDirectory(
  scope: FileScope,
  path: string,
  code: 'EEXIST' | 'ENOTDIR',
  call: FsCall,
): void {
  const node = locateUnlessMissing(scope, path, { follow: true, call })?.node;
  if (!node && code === 'EEXIST') throw createFsError('ENOENT', call);
  if (node?.kind !== 'directory') throw createFsError(code, call);
}

/** Resolves the name itself, for operations that create, move or remove it. */
export function locateName(scope: FileScope, path: string, call: FsCall): Location {
  return locateIn(scope, path, { follow: false, isName: true, call });
}

/** Creates an empty directory at a real path where nothing exists. */
export function putDirectory(scope: FileScope, path: string, mode: number, call: FsCall): void {
  scope.gate.requireDirectory(path, call);
  scope.draft.put(path, {
    kind: 'directory',
    entries: PersistentMap.empty<TreeNode>(),
    mode,
    mtimeMs: scope.now(),
    version: 0,
  });
}

/** `mkdtemp`: appends six random letters to the prefix. Draws again if the name exists. */
export function makeTemporaryDirectory(
  scope: FileScope,
  prefix: string,
  options?: NameOptions,
): string {
  checkPath(prefix, { syscall: 'mkdtemp', path: prefix });
  checkNameEncoding(options, { syscall: 'mkdtemp', path: prefix });
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  for (;;) {
    const random = crypto.getRandomValues(new Uint32Array(6));
    const path = prefix + Array.from(random, (n) => letters.charAt(n % letters.length)).join('');
    const call = { syscall: 'mkdtemp', path };
    const location = locateIn(scope, path, { follow: false, call });
    if (location.node) continue;
    putDirectory(scope, location.path, 0o700, call);
    return path;
  }
}

/** `unlink`: a file, or a link itself. Throws `EISDIR` for a directory. */
export function removeLink(scope: FileScope, path: string): void {
  const call = { syscall: 'unlink', path };
  const found = findIn(scope, path, { follow: false, isName: true, call });
  if (found.node.kind === 'directory') throw createFsError('EISDIR', call);
  if (found.isDirectoryPath) throw createFsError('ENOTDIR', call);
  scope.gate.requireWrite(found.path, call);
  scope.draft.put(found.path, undefined);
}

/**
 * `rmdir`. Also throws `ENOTEMPTY` for entries hidden from this view, because they must not be
 * removed with it.
 */
export function removeDirectory(scope: FileScope, path: string): void {
  const call = { syscall: 'rmdir', path };
  const found = findIn(scope, path, { follow: false, isName: true, call });
  if (found.node.kind !== 'directory') throw createFsError('ENOTDIR', call);
  if (/(?:^|\/)\.\/*$/u.test(path)) throw noName('EINVAL', call);
  if (found.node.entries.size > 0) throw createFsError('ENOTEMPTY', call);
  requireRemovable(scope, found.path, found.node, call);
  scope.draft.put(found.path, undefined);
}

/** `rm`: removes everything, or nothing if one path below may not be removed. */
export function removePath(scope: FileScope, path: string, options?: RmOptions): void {
  const call = { syscall: 'rm', path };
  const meaning = { follow: false, isName: true, call };
  const location =
    options?.force === true
      ? locateUnlessMissing(scope, path, meaning)
      : findIn(scope, path, meaning);
  if (!location?.node) return;
  if (location.isDirectoryPath && location.node.kind !== 'directory') {
    throw createFsError('ENOTDIR', call);
  }
  if (location.node.kind === 'directory' && options?.recursive !== true) {
    throw createFsError('EISDIR', call);
  }
  if (endsWithDots(path)) throw noName('EINVAL', call);
  requireRemovable(scope, location.path, location.node, call);
  scope.draft.put(location.path, undefined);
}

/** Refuses a path without a name at its end, because only a name can be removed or moved. */
function noName(code: 'EBUSY' | 'EINVAL', call: FsCall): SdkError {
  return createFsError(code, { ...call, message: "'.' and '..' are no names of their own" });
}

/** Throws unless the view may remove the node and everything below it. */
function requireRemovable(scope: FileScope, path: string, node: TreeNode, call: FsCall): void {
  if (path === '/') throw createFsError('EPERM', { ...call, message: 'the root stays' });
  requireEach(scope, path, node, (below) => scope.gate.requireWrite(below, call));
}

/** Checks a node. Also checks everything below it if rules may differ there. */
function requireEach(
  scope: FileScope,
  path: string,
  node: TreeNode,
  check: (path: string) => void,
): void {
  if (scope.gate.isUniform) check(path);
  else visitTree(path, node, check);
}

/**
 * `rename`: moves the node with everything below it. An existing file or empty directory is
 * replaced.
 */
export function renamePath(scope: FileScope, from: string, to: string): void {
  const call = { syscall: 'rename', path: from, dest: to };
  const source = locateName(scope, from, call);
  const target = locateName(scope, to, call);
  if (endsWithDots(from) || endsWithDots(to)) throw noName('EBUSY', call);
  const { node } = source;
  if (!node) throw createFsError('ENOENT', call);
  if (node.kind !== 'directory' && (source.isDirectoryPath || target.isDirectoryPath)) {
    throw createFsError('ENOTDIR', call);
  }
  if (source.path === target.path) return;
  if (isInside(source.path, target.path)) {
    throw createFsError('EINVAL', { ...call, message: 'a directory cannot move into itself' });
  }
  if (isInside(target.path, source.path)) throw createFsError('ENOTEMPTY', call);
  if (target.node) requireReplaceable(node, target.node, call);
  requireRemovable(scope, source.path, node, call);
  requireEach(scope, source.path, node, (path) => {
    scope.gate.requireRead(path, call);
    scope.gate.requireWrite(target.path + path.slice(source.path.length), call);
  });
  scope.draft.put(source.path, undefined);
  scope.draft.put(target.path, node);
}

function requireReplaceable(source: TreeNode, target: TreeNode, call: FsCall): void {
  if (target.kind !== 'directory') {
    if (source.kind === 'directory') throw createFsError('ENOTDIR', call);
    return;
  }
  if (source.kind !== 'directory') throw createFsError('EISDIR', call);
  if (target.entries.size > 0) throw createFsError('ENOTEMPTY', call);
}

/**
 * `symlink`. The target need not exist or be readable. Access is checked whenever the link is
 * followed.
 */
export function makeSymlink(scope: FileScope, target: string, path: string): void {
  const call = { syscall: 'symlink', path: target, dest: path };
  checkPath(target, call);
  const location = locateName(scope, path, call);
  if (location.node) throw createFsError('EEXIST', call);
  if (location.isDirectoryPath) throw createFsError('ENOENT', call);
  scope.gate.requireWrite(location.path, call);
  scope.draft.put(location.path, { kind: 'symlink', target, mtimeMs: scope.now(), version: 0 });
}

/** `chmod`: the mode is stored for tools that read it. Access is decided by rules alone. */
export function changeMode(scope: FileScope, path: string, mode: FileMode): void {
  const call = { syscall: 'chmod', path };
  changeAttributes(scope, path, { mode: requireMode(mode, call) & 0o7777 }, { follow: true, call });
}

/**
 * `utimes`, or `lutimes` without `follow`. Access times aren't stored: `atime` is only validated.
 */
export function changeTimes(
  scope: FileScope,
  path: string,
  times: { readonly atime: FileTime; readonly mtime: FileTime },
  { follow }: { readonly follow: boolean },
): void {
  const call = { syscall: follow ? 'utimes' : 'lutimes', path };
  toTimeMs(times.atime, call);
  const mtimeMs = toTimeMs(times.mtime, call, () => scope.now());
  changeAttributes(scope, path, { mtimeMs }, { follow, call });
}

function changeAttributes(
  scope: FileScope,
  path: string,
  attributes: { readonly mode?: number; readonly mtimeMs?: number },
  options: { readonly follow: boolean; readonly call: FsCall },
): void {
  const { call } = options;
  const found = findIn(scope, path, options);
  if (found.path === '/') throw createFsError('EPERM', { ...call, message: 'the root stays' });
  scope.gate.requireWrite(found.path, call);
  scope.draft.put(found.path, { ...found.node, ...attributes } as TreeNode);
}
