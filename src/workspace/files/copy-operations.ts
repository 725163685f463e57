// The operations that create a second path from a first: `copyFile`, `cp` and `link`. They copy
// pointers, not bytes. Each takes effect as a whole or not at all.
import { dirname, isInside, resolvePath } from '../../core/path.ts';
import { childPath, defaultDirectoryMode } from '../tree/tree.ts';
import type { FileNode, SymlinkNode, TreeNode } from '../tree/tree.ts';
import type { FsCall } from './access.ts';
import { locateForOpen } from './edit-file.ts';
import { refuseOptions, toInteger } from './file-arguments.ts';
import { fileConstants } from './file-options.ts';
import type { CopyOptions, CopySyncOptions } from './file-options.ts';
import { createFsError } from './fs-error.ts';
import { checkPath, withoutEndSlashes } from './locate.ts';
import { parseOpenFlags } from './open-flags.ts';
import { findIn, locateIn, locateUnlessMissing, visibleEntries } from './read-operations.ts';
import type { FileScope } from './read-operations.ts';
import { locateName, makeDirectories, putDirectory } from './write-operations.ts';

/**
 * `copyFile`: follows links on both sides. The copy shares the content until one of them is
 * written.
 */
export function copyFile(scope: FileScope, from: string, to: string, mode = 0): void {
  const call = { syscall: 'copyfile', path: from, dest: to };
  const asked = toInteger(mode, { name: 'mode', max: 7 }, call);
  const source = findIn(scope, from, { follow: true, call });
  if (source.node.kind === 'file') scope.gate.requireRead(source.path, call);
  const isExclusive = (asked & fileConstants.COPYFILE_EXCL) !== 0;
  const flags = parseOpenFlags(isExclusive ? 'wx' : 'w', 'w', call);
  const target = locateForOpen(scope, to, flags, call);
  if (source.node.kind !== 'file') throw createFsError('EISDIR', call);
  if (target.path === source.path) return;
  scope.draft.put(target.path, { ...source.node, mtimeMs: scope.now(), version: 0 });
}

/**
 * `link`: creates a copy that shares its content. The tree has no inodes, so a later write to one
 * of the paths is NOT visible at the other. A symbolic link is copied as a link, as on Linux.
 */
export function linkPath(scope: FileScope, from: string, to: string): void {
  const call = { syscall: 'link', path: from, dest: to };
  const source = findIn(scope, from, { follow: false, call });
  // Security: otherwise a denied file could be read under another name.
  if (source.node.kind !== 'directory') scope.gate.requireRead(source.path, call);
  const target = locateName(scope, to, call);
  if (target.node) throw createFsError('EEXIST', call);
  if (target.isDirectoryPath) throw createFsError('ENOENT', call);
  if (source.node.kind === 'directory') throw createFsError('EPERM', call);
  scope.gate.requireWrite(target.path, call);
  scope.draft.put(target.path, { ...source.node, version: 0 });
}

/** `cp`. The filter must be synchronous. */
export function copyPath(
  scope: FileScope,
  from: string,
  to: string,
  options: CopySyncOptions = {},
): void {
  const call = { syscall: 'cp', path: from, dest: to };
  const plan = planCopy(scope, { from, to }, options, call);
  let step = plan.next(true);
  while (!step.done) {
    const { source, destination } = step.value;
    const isAdmitted: unknown = options.filter?.(source, destination) ?? true;
    if (isAdmitted instanceof Promise) {
      throw createFsError('ERR_INVALID_ARG_VALUE', {
        ...call,
        message: 'the filter of cpSync returned a promise; use cp',
      });
    }
    step = plan.next(Boolean(isAdmitted));
  }
  carryOut(scope, step.value, to, options, call);
}

/** `cp` with an asynchronous filter. Copies the tree as it was when the operation was called. */
export async function copyPathLater(
  scope: FileScope,
  from: string,
  to: string,
  options: CopyOptions = {},
): Promise<void> {
  const call = { syscall: 'cp', path: from, dest: to };
  const plan = planCopy(scope, { from, to }, options, call);
  let step = plan.next(true);
  while (!step.done) {
    const { source, destination } = step.value;
    step = plan.next(Boolean(await (options.filter?.(source, destination) ?? true)));
  }
  carryOut(scope, step.value, to, options, call);
}

/** One node to copy: a real source, and the destination as it was given. */
interface CopyStep {
  readonly node: TreeNode;
  readonly from: string;
  readonly to: string;
}

/** A call of the filter. */
interface CopyQuestion {
  readonly source: string;
  readonly destination: string;
}

/**
 * Calls the filter for each node before its entries. Returns the nodes to create, parents first.
 */
function* planCopy(
  scope: FileScope,
  { from, to }: { readonly from: string; readonly to: string },
  options: CopyOptions,
  call: FsCall,
): Generator<CopyQuestion, CopyStep[], boolean> {
  refuseOptions(options, { mode: 'use { force: false, errorOnExist: true }' }, call);
  const follow = options.dereference === true;
  if (follow && options.verbatimSymlinks === true) {
    const message = 'dereference copies no links, verbatimSymlinks keeps them: take one';
    throw createFsError('EINVAL', { ...call, message });
  }
  const source = findIn(scope, from, { follow, call });
  checkPath(to, call);
  const steps: CopyStep[] = [];
  const first = { from: source.path, node: source.node };
  const shown = { source: from, destination: to };
  const isRecursive = options.recursive === true;
  yield* planNode({ scope, follow, isRecursive, call, steps }, first, shown, []);
  return steps;
}

/** The parameters of one walk. */
interface Planning {
  readonly scope: FileScope;
  readonly follow: boolean;
  readonly isRecursive: boolean;
  readonly call: FsCall;
  readonly steps: CopyStep[];
}

/**
 * Plans one node and everything below it. `above` has the real directories on the way, to detect
 * cycles.
 */
function* planNode(
  planning: Planning,
  { from, node }: { readonly from: string; readonly node: TreeNode },
  shown: CopyQuestion,
  above: readonly string[],
): Generator<CopyQuestion, void, boolean> {
  const { scope, follow, isRecursive, call, steps } = planning;
  if (!(yield shown)) return;
  if (node.kind !== 'directory') scope.gate.requireRead(from, call);
  steps.push({ node, from, to: shown.destination });
  if (node.kind !== 'directory' || !isRecursive) return;
  // A link to a directory above it would recurse without end.
  if (above.includes(from)) throw createFsError('ELOOP', call);
  for (const [name, child] of visibleEntries(scope, from, node)) {
    const path = childPath(from, name);
    const found =
      follow && child.kind === 'symlink'
        ? findIn(scope, path, { follow: true, call })
        : { path, node: child };
    const next = { source: below(shown.source, name), destination: below(shown.destination, name) };
    yield* planNode(planning, { from: found.path, node: found.node }, next, [...above, from]);
  }
}

/** Returns the path, as the caller wrote it, with a name appended. */
function below(directory: string, name: string): string {
  return directory.endsWith('/') ? directory + name : `${directory}/${name}`;
}

/** Carries out the whole plan without an await, so that nothing can intervene. */
function carryOut(
  scope: FileScope,
  steps: readonly CopyStep[],
  to: string,
  options: CopyOptions,
  call: FsCall,
): void {
  const [first] = steps;
  if (!first) return;
  const before = scope.draft.root;
  const follow = options.dereference === true;
  try {
    // Checked before a directory is created for the copy: a file isn't replaced by a directory.
    locateUnlessMissing(scope, to, { follow, call });
    makeDirectories(scope, parentOf(to), defaultDirectoryMode, { ...call, path: to });
    for (const step of steps) {
      const target = locateIn(scope, step.to, { follow, call });
      if (step.from === target.path || (step === first && isInside(step.from, target.path))) {
        throw createFsError('EINVAL', { ...call, message: 'it cannot be copied into itself' });
      }
      putCopy(scope, step, target.node, options, call);
    }
  } catch (error) {
    // All or nothing: a later step was refused.
    scope.draft.reset(before);
    throw error;
  }
}

/** Returns the parent directory of a path, as it was given. */
function parentOf(path: string): string {
  const at = withoutEndSlashes(path).lastIndexOf('/');
  return at === -1 ? '.' : path.slice(0, at) || '/';
}

/** Carries out one step by Node's rules for an existing destination. */
function putCopy(
  scope: FileScope,
  { node, from, to }: CopyStep,
  there: TreeNode | undefined,
  options: CopyOptions,
  call: FsCall,
): void {
  const isRefused = options.force === false && options.errorOnExist === true;
  if (node.kind === 'directory') {
    if (there && there.kind !== 'directory') throw createFsError('ENOTDIR', call);
    if (options.recursive !== true) {
      throw createFsError('EISDIR', { ...call, message: 'a directory needs { recursive: true }' });
    }
    // Directories are merged, even if existing files are an error.
    if (!there) putDirectory(scope, locateFree(scope, to, call), node.mode, call);
    return;
  }
  if (there?.kind === 'directory') throw createFsError('EISDIR', call);
  // As in Node, a link replaces a link, but not a file.
  if (node.kind === 'symlink' && there?.kind === 'file') throw createFsError('EEXIST', call);
  if (there && isRefused) throw createFsError('EEXIST', call);
  if (there && options.force === false) return;
  const path = locateCopy(scope, to, { isNew: !there, kind: node.kind }, call);
  scope.gate.requireWrite(path, call);
  scope.draft.put(path, copyOf(scope, node, from, options));
}

/**
 * Finds the destination. An existing entry is replaced under its own name; a new file is created
 * where opening would create it.
 */
function locateCopy(
  scope: FileScope,
  to: string,
  { isNew, kind }: { readonly isNew: boolean; readonly kind: 'file' | 'symlink' },
  call: FsCall,
): string {
  if (!isNew) return locateName(scope, to, call).path;
  if (kind === 'file') return locateForOpen(scope, to, parseOpenFlags('w', 'w', call), call).path;
  const location = locateName(scope, to, call);
  if (location.isDirectoryPath) throw createFsError('ENOENT', call);
  return location.path;
}

/** No directory can be created at a dangling link. */
function locateFree(scope: FileScope, to: string, call: FsCall): string {
  const { path, node } = locateName(scope, to, call);
  if (node) throw createFsError('EEXIST', call);
  return path;
}

/**
 * Returns a node with the same content and a new time. A relative link still leads to the same
 * target.
 */
function copyOf(
  scope: FileScope,
  node: FileNode | SymlinkNode,
  from: string,
  { preserveTimestamps, verbatimSymlinks }: CopyOptions,
): TreeNode {
  const mtimeMs = scope.now();
  if (node.kind === 'file') {
    return { ...node, ...(preserveTimestamps !== true && { mtimeMs }), version: 0 };
  }
  const target = verbatimSymlinks === true ? node.target : resolvePath(dirname(from), node.target);
  return { ...node, target, mtimeMs, version: 0 };
}
