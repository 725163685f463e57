// What changes a draft: Node's semantics, each behind the access gate, each either done or not begun.
// Contents move as pointers: a rename or a copy touches no bytes.
import { dirname, isInside, resolvePath } from '../core/path.ts';
import { SdkError } from '../core/errors.ts';
import type { FsCall } from './access.ts';
import { createFsError } from './fs-error.ts';
import { checkPath } from './locate.ts';
import type { Location } from './locate.ts';
import { findIn, locateIn, visibleEntries } from './read-operations.ts';
import type { FileScope } from './read-operations.ts';
import { childPath, defaultDirectoryMode, defaultFileMode, visitTree } from './tree.ts';
import type { DirectoryNode, FileNode, TreeNode } from './tree.ts';
import { PersistentMap } from './persistent-map.ts';

// 1 GiB: more than a tab can hold beside its own copy.
export const maxFileBytes = 1_073_741_824;

/** Where a write would go, and what stands there. Throws what writing there would throw. */
export function locateForWrite(
  scope: FileScope,
  path: string,
  call: FsCall,
): Location & { readonly file: FileNode | undefined } {
  const location = locateIn(scope, path, { follow: true, call });
  const { node } = location;
  if (location.isDirectoryPath || node?.kind === 'directory') throw createFsError('EISDIR', call);
  scope.gate.requireWrite(location.path, call);
  return { ...location, file: node?.kind === 'file' ? node : undefined };
}

/** The draft owns `bytes` from here on. */
export function writeFile(scope: FileScope, path: string, bytes: Uint8Array, call: FsCall): void {
  if (bytes.length > maxFileBytes) throw createFsError('EFBIG', call);
  const { path: realPath, file } = locateForWrite(scope, path, call);
  scope.draft.put(realPath, {
    kind: 'file',
    content: bytes,
    size: bytes.length,
    mode: file?.mode ?? defaultFileMode,
    mtimeMs: scope.now(),
    version: 0,
  });
}

/** `mkdir`: the first directory made with `recursive`, else undefined. */
export function makeDirectory(
  scope: FileScope,
  path: string,
  options: { readonly recursive?: boolean } | undefined,
): string | undefined {
  const call = { syscall: 'mkdir', path };
  if (options?.recursive === true) return makeDirectories(scope, path, call);
  const location = locateIn(scope, path, { follow: false, call });
  if (location.node) throw createFsError('EEXIST', call);
  putDirectory(scope, location.path, call);
  return undefined;
}

/** Makes what is missing, top down; the first one made, or undefined. */
function makeDirectories(scope: FileScope, path: string, call: FsCall): string | undefined {
  checkPath(path, call);
  const missing: string[] = [];
  let current = resolvePath(scope.cwd, path);
  for (;;) {
    const location = locateUnlessMissing(scope, current, { follow: true, call });
    if (location?.node?.kind === 'directory') break;
    if (location?.node) throw createFsError(missing.length > 0 ? 'ENOTDIR' : 'EEXIST', call);
    missing.push(current);
    current = dirname(current);
  }
  const before = scope.draft.root;
  try {
    for (const directory of missing.toReversed()) {
      putDirectory(scope, locateIn(scope, directory, { follow: true, call }).path, call);
    }
  } catch (error) {
    // All or nothing: a deeper one was refused.
    scope.draft.reset(before);
    throw error;
  }
  return missing.at(-1);
}

/** Undefined also where a directory on the way is missing. */
function locateUnlessMissing(
  scope: FileScope,
  path: string,
  options: { readonly follow: boolean; readonly call: FsCall },
): Location | undefined {
  try {
    return locateIn(scope, path, options);
  } catch (error) {
    if (SdkError.isInstance(error) && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function putDirectory(scope: FileScope, path: string, call: FsCall): void {
  scope.gate.requireWrite(path, call);
  scope.draft.put(path, {
    kind: 'directory',
    entries: PersistentMap.empty<TreeNode>(),
    mode: defaultDirectoryMode,
    mtimeMs: scope.now(),
    version: 0,
  });
}

/** `mkdtemp`: six random letters behind the prefix, drawn again where the name is taken. */
export function makeTemporaryDirectory(scope: FileScope, prefix: string): string {
  checkPath(prefix, { syscall: 'mkdtemp', path: prefix });
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  for (;;) {
    const random = crypto.getRandomValues(new Uint32Array(6));
    const path = prefix + Array.from(random, (n) => letters.charAt(n % letters.length)).join('');
    const location = locateIn(scope, path, { follow: false, call: { syscall: 'mkdtemp', path } });
    if (location.node) continue;
    putDirectory(scope, location.path, { syscall: 'mkdtemp', path });
    return path;
  }
}

/** `unlink`: a file, or a link itself. Throws `EISDIR` for a directory. */
export function removeLink(scope: FileScope, path: string): void {
  const call = { syscall: 'unlink', path };
  const found = findIn(scope, path, { follow: false, call });
  if (found.node.kind === 'directory') throw createFsError('EISDIR', call);
  scope.gate.requireWrite(found.path, call);
  scope.draft.put(found.path, undefined);
}

/** `rmdir`. Throws `ENOTEMPTY`, also for what this view isn't shown: it must not vanish with it. */
export function removeDirectory(scope: FileScope, path: string): void {
  const call = { syscall: 'rmdir', path };
  const found = findIn(scope, path, { follow: false, call });
  if (found.node.kind !== 'directory') throw createFsError('ENOTDIR', call);
  if (found.node.entries.size > 0) throw createFsError('ENOTEMPTY', call);
  requireRemovable(scope, found.path, found.node, call);
  scope.draft.put(found.path, undefined);
}

/** `rm`: all of it or, where one path below may not be removed, nothing. */
export function removePath(
  scope: FileScope,
  path: string,
  options: { readonly recursive?: boolean; readonly force?: boolean } | undefined,
): void {
  const call = { syscall: 'rm', path };
  const location =
    options?.force === true
      ? locateUnlessMissing(scope, path, { follow: false, call })
      : findIn(scope, path, { follow: false, call });
  if (!location?.node) return;
  if (location.node.kind === 'directory' && options?.recursive !== true) {
    throw createFsError('EISDIR', call);
  }
  requireRemovable(scope, location.path, location.node, call);
  scope.draft.put(location.path, undefined);
}

/** Throws unless the view may remove the node and all below it. */
function requireRemovable(scope: FileScope, path: string, node: TreeNode, call: FsCall): void {
  if (path === '/') throw createFsError('EPERM', { ...call, message: 'the root stays' });
  requireEach(scope, path, node, (below) => scope.gate.requireWrite(below, call));
}

/** Checks a node, and all below it where rules could tell them apart. */
function requireEach(
  scope: FileScope,
  path: string,
  node: TreeNode,
  check: (path: string) => void,
): void {
  if (scope.gate.isUniform) check(path);
  else visitTree(path, node, check);
}

/** `rename`: the node itself moves, with all below it. A file or an empty directory gives way. */
export function renamePath(scope: FileScope, from: string, to: string): void {
  const call = { syscall: 'rename', path: from, dest: to };
  const source = findIn(scope, from, { follow: false, call });
  const target = locateIn(scope, to, { follow: false, call });
  if (source.path === target.path) return;
  if (isInside(source.path, target.path)) {
    throw createFsError('EINVAL', { ...call, message: 'a directory cannot move into itself' });
  }
  if (target.node) requireReplaceable(source.node, target.node, call);
  else if (target.isDirectoryPath && source.node.kind !== 'directory') {
    throw createFsError('ENOTDIR', call);
  }
  requireRemovable(scope, source.path, source.node, call);
  requireEach(scope, source.path, source.node, (path) => {
    scope.gate.requireRead(path, call);
    scope.gate.requireWrite(target.path + path.slice(source.path.length), call);
  });
  scope.draft.put(source.path, undefined);
  scope.draft.put(target.path, source.node);
}

function requireReplaceable(source: TreeNode, target: TreeNode, call: FsCall): void {
  if (target.kind !== 'directory') {
    if (source.kind === 'directory') throw createFsError('ENOTDIR', call);
    return;
  }
  if (source.kind !== 'directory') throw createFsError('EISDIR', call);
  if (target.entries.size > 0) throw createFsError('ENOTEMPTY', call);
}

/** `copyFile`: follows links on both sides. The copy shares the content until one is written. */
export function copyFile(scope: FileScope, from: string, to: string): void {
  const call = { syscall: 'copyfile', path: from, dest: to };
  const source = findIn(scope, from, { follow: true, call });
  if (source.node.kind !== 'file') throw createFsError('EISDIR', call);
  scope.gate.requireRead(source.path, call);
  const target = locateForWrite(scope, to, call);
  if (target.path === source.path) return;
  scope.draft.put(target.path, copyOf(scope, source.node));
}

/** Links are copied as links. Files already at the destination are replaced. */
export function copyPath(
  scope: FileScope,
  from: string,
  to: string,
  options: { readonly recursive?: boolean } | undefined,
): void {
  const call = { syscall: 'cp', path: from, dest: to };
  const source = findIn(scope, from, { follow: false, call });
  if (source.node.kind === 'directory' && options?.recursive !== true) {
    throw createFsError('EISDIR', { ...call, message: 'a directory needs { recursive: true }' });
  }
  const before = scope.draft.root;
  try {
    makeDirectories(scope, dirname(resolvePath(scope.cwd, to)), { ...call, path: to });
    const target = locateIn(scope, to, { follow: true, call });
    if (isInside(source.path, target.path)) {
      throw createFsError('EINVAL', { ...call, message: 'it cannot be copied into itself' });
    }
    copyNode(scope, source.path, source.node, target.path, call);
  } catch (error) {
    // All or nothing: something below was refused.
    scope.draft.reset(before);
    throw error;
  }
}

function copyNode(scope: FileScope, from: string, node: TreeNode, to: string, call: FsCall): void {
  const target = locateIn(scope, to, { follow: false, call }).node;
  if (node.kind !== 'directory') {
    scope.gate.requireRead(from, call);
    scope.gate.requireWrite(to, call);
    if (target?.kind === 'directory') throw createFsError('EISDIR', call);
    scope.draft.put(to, node.kind === 'file' ? copyOf(scope, node) : { ...node, version: 0 });
    return;
  }
  if (target && target.kind !== 'directory') throw createFsError('ENOTDIR', call);
  if (!target) putDirectory(scope, to, call);
  for (const [name, child] of visibleEntries(scope, from, node)) {
    copyNode(scope, childPath(from, name), child, childPath(to, name), call);
  }
}

function copyOf(scope: FileScope, node: FileNode): FileNode {
  return { ...node, mtimeMs: scope.now(), version: 0 };
}

/** `symlink`. The target need not be there, nor be readable: following it is judged each time. */
export function makeSymlink(scope: FileScope, target: string, path: string): void {
  const call = { syscall: 'symlink', path: target, dest: path };
  checkPath(target, call);
  const location = locateIn(scope, path, { follow: false, call });
  if (location.node) throw createFsError('EEXIST', call);
  scope.gate.requireWrite(location.path, call);
  scope.draft.put(location.path, { kind: 'symlink', target, mtimeMs: scope.now(), version: 0 });
}

/** `chmod`: kept for tools that look at it; access goes by rules alone. */
export function changeMode(scope: FileScope, path: string, mode: number): void {
  const call = { syscall: 'chmod', path };
  if (!Number.isInteger(mode) || mode < 0) {
    throw createFsError('EINVAL', { ...call, message: 'the mode is no whole number' });
  }
  changeAttributes(scope, path, { mode: mode & 0o7777 }, call);
}

/** Access times aren't kept: `atime` is checked and forgotten. Numbers are seconds, as in Node. */
export function changeTimes(
  scope: FileScope,
  path: string,
  atime: number | Date,
  mtime: number | Date,
): void {
  const call = { syscall: 'utimes', path };
  const times = [atime, mtime].map((time) =>
    time instanceof Date ? time.getTime() : Number(time) * 1000,
  );
  const mtimeMs = times[1];
  if (mtimeMs === undefined || !times.every(Number.isFinite)) {
    throw createFsError('EINVAL', { ...call, message: 'a time is no number' });
  }
  changeAttributes(scope, path, { mtimeMs }, call);
}

function changeAttributes(
  scope: FileScope,
  path: string,
  attributes: { readonly mode?: number; readonly mtimeMs?: number },
  call: FsCall,
): void {
  const found = findIn(scope, path, { follow: true, call });
  if (found.path === '/') throw createFsError('EPERM', { ...call, message: 'the root stays' });
  scope.gate.requireWrite(found.path, call);
  scope.draft.put(found.path, { ...found.node, ...attributes } as DirectoryNode | FileNode);
}

/** The bytes of a file cut or filled with zeros to `length`; the new bytes are a copy. */
export function resized(bytes: Uint8Array, length: number, call: FsCall): Uint8Array {
  if (!Number.isInteger(length) || length < 0) {
    throw createFsError('EINVAL', { ...call, message: 'the length is no whole number' });
  }
  if (length > maxFileBytes) throw createFsError('EFBIG', call);
  const result = new Uint8Array(length);
  result.set(bytes.subarray(0, length));
  return result;
}
