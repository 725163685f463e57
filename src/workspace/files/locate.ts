// Resolves a path to its node as a kernel does: relative parts, `..` and symbolic links, with
// checks by the access gate. Every file operation begins here.
import { childPath } from '../tree/tree.ts';
import type { DirectoryNode, TreeNode } from '../tree/tree.ts';
import type { AccessGate, FsCall } from './access.ts';
import { byteLengthExceeds, maxNameBytes, maxPathBytes } from './file-limits.ts';
import { createFsError } from './fs-error.ts';

/**
 * The result of resolving a path. `node` is undefined if nothing exists there. The parent is then a
 * directory, or the view may neither read nor write there; an operation that creates something asks
 * the gate first.
 */
export interface Location {
  /** The real path, without links, `.` and `..`. */
  readonly path: string;
  readonly node: TreeNode | undefined;
  /** True if the path ended with a slash, so that only a directory matches. */
  readonly isDirectoryPath: boolean;
}

/** The view and the call for which a path is resolved. */
export interface LocateOptions {
  readonly cwd: string;
  readonly gate: AccessGate;
  /** Also follows a link in the last part. Links before it are always followed. */
  readonly follow: boolean;
  /**
   * The path means the name itself, as in all operations that create, move or remove one. A slash
   * behind a link then doesn't follow it, and the caller checks for a directory.
   */
  readonly isName?: boolean;
  /** The operation creates a missing file. A slash behind the name is then `EISDIR`. */
  readonly makesFile?: boolean;
  readonly call: FsCall;
}

// 40: Linux's limit, as for names and paths (file-limits.ts).
const maxLinks = 40;

/**
 * Resolves `path` in the tree of `root`.
 * Throws `ENOENT`, `ENOTDIR`, `ELOOP`, `ENAMETOOLONG`, `ERR_INVALID_ARG_VALUE` (a NUL),
 * `ERR_INVALID_ARG_TYPE` (not a string), `EISDIR` if a file can't be created, and `EACCES` outside
 * of the view's roots. A path that the view may not read counts as missing, and so does everything
 * below it.
 */
export function locate(root: DirectoryNode, path: string, options: LocateOptions): Location {
  const { gate, call } = options;
  checkPath(path, call);
  let isDirectoryPath = asksForDirectory(path);
  const waiting: string[] = [];
  push(waiting, path.startsWith('/') ? path : `${options.cwd}/${path}`, call);

  let parents: DirectoryNode[] = [root];
  let paths = ['/'];
  // Counted over the whole path, because links may lead to other links in a loop.
  let links = 0;
  while (waiting.length > 0) {
    const name = waiting.pop() ?? '';
    if (name === '.') continue;
    if (name === '..') {
      // Security: `..` out of a directory reveals that the directory exists.
      gate.requireKnown(paths.at(-1) ?? '/', call);
      if (parents.length > 1) {
        parents.pop();
        paths.pop();
      }
      continue;
    }
    const isLast = waiting.length === 0;
    const realPath = childPath(paths.at(-1) ?? '/', name);
    let node = parents.at(-1)?.entries.get(name);
    // Security: a denied link must not be followed, and rules for a directory also deny its files
    // (compilePathGlob). So links, the last part, and the end of the resolution must be checked.
    if (node && (isLast || node.kind === 'symlink') && gate.isAbsent(realPath)) node = undefined;
    const isEntered = isDirectoryPath && options.isName !== true;
    if (isLast && isEntered && options.makesFile === true) {
      gate.requireVisible(realPath, call);
      throw createFsError('EISDIR', call);
    }
    if (node?.kind === 'symlink' && (!isLast || options.follow || isEntered)) {
      gate.requireVisible(realPath, call);
      links += 1;
      if (links > maxLinks) throw createFsError('ELOOP', call);
      if (isLast && asksForDirectory(node.target)) isDirectoryPath = true;
      if (node.target.startsWith('/')) {
        parents = [root];
        paths = ['/'];
      }
      push(waiting, node.target, call);
      continue;
    }
    if (isLast) return finish(realPath, node, isDirectoryPath, options);
    if (node?.kind !== 'directory') {
      // Security: outside of the roots, the kind of error must not reveal what exists.
      gate.requireVisible(realPath, call);
      // The same in a denied directory: nothing exists below it, and nothing may be created there.
      if (gate.isAbsent(realPath) && !waiting.includes('..')) {
        const rest = waiting.filter((part) => part !== '.').reverse();
        return { path: [realPath, ...rest].join('/'), node: undefined, isDirectoryPath };
      }
      throw createFsError(node && !gate.isAbsent(realPath) ? 'ENOTDIR' : 'ENOENT', call);
    }
    parents.push(node);
    paths.push(realPath);
  }
  const at = paths.at(-1) ?? '/';
  return finish(at, gate.isAbsent(at) ? undefined : parents.at(-1), true, options);
}

function finish(
  path: string,
  node: TreeNode | undefined,
  isDirectoryPath: boolean,
  { gate, call, isName }: LocateOptions,
): Location {
  gate.requireVisible(path, call);
  const isDirectory = node === undefined || node.kind === 'directory';
  if (isDirectoryPath && !isDirectory && isName !== true) throw createFsError('ENOTDIR', call);
  return { path, node, isDirectoryPath };
}

/** True if the path ends with a slash or a dot, so that it must be a directory. */
function asksForDirectory(path: string): boolean {
  return /(?:^|\/)\.?$/u.test(path);
}

/** Without a regular expression, which takes quadratic time on a long run of slashes. */
export function withoutEndSlashes(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}

/** True if the last part is `.` or `..`, which aren't names. */
export function endsWithDots(path: string): boolean {
  return /(?:^|\/)\.\.?\/*$/u.test(path);
}

/**
 * Pushes the path's names on the stack, the first one on top. Of trailing dots only the last
 * counts, because the path before it must exist.
 */
function push(waiting: string[], path: string, call: FsCall): void {
  const whole = withoutEndSlashes(path);
  // Scans from the end without creating a list, because every file operation comes through here.
  for (let end = whole.length; end > 0;) {
    const start = whole.lastIndexOf('/', end - 1) + 1;
    const name = whole.slice(start, end);
    if (byteLengthExceeds(name, maxNameBytes)) throw createFsError('ENAMETOOLONG', call);
    if (name !== '' && (name !== '.' || end === whole.length)) waiting.push(name);
    end = start - 1;
  }
}

/** Refuses text that can't be a path in any tree. Also called for link targets. */
export function checkPath(path: unknown, call: FsCall): asserts path is string {
  if (typeof path !== 'string') {
    throw createFsError('ERR_INVALID_ARG_TYPE', {
      ...call,
      path: String(path),
      message:
        'a path is a string here; of a file URL take decodeURIComponent(url.pathname), of a ' +
        'descriptor or a handle use its own methods',
    });
  }
  if (path === '') throw createFsError('ENOENT', call);
  if (path.includes('\0')) {
    throw createFsError('ERR_INVALID_ARG_VALUE', {
      ...call,
      path: path.replaceAll('\0', '\\0'),
      message: 'a path must not contain a NUL character',
    });
  }
  if (/\p{Surrogate}/u.test(path)) {
    throw createFsError('ERR_INVALID_ARG_VALUE', {
      ...call,
      message: 'a path must be valid Unicode',
    });
  }
  if (byteLengthExceeds(path, maxPathBytes)) throw createFsError('ENAMETOOLONG', call);
}
