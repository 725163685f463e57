// Resolves a path to its node, as a kernel does: relative parts, `..` and symbolic links, behind
// the access gate. Every file operation begins here.
import { childPath } from '../tree/tree.ts';
import type { DirectoryNode, TreeNode } from '../tree/tree.ts';
import type { AccessGate, FsCall } from './access.ts';
import { byteLengthExceeds, maxNameBytes, maxPathBytes } from './file-limits.ts';
import { createFsError } from './fs-error.ts';

/**
 * What a path names. `node` is undefined where nothing is. Its parent is then a directory, or the
 * view may neither read nor write there: an operation that makes something asks the gate first.
 */
export interface Location {
  /** The real path: no link, no `.` and `..` in it. */
  readonly path: string;
  readonly node: TreeNode | undefined;
  /** The path ended with a slash: only a directory fits. */
  readonly isDirectoryPath: boolean;
}

/** Whose view it is, and for which call. */
export interface LocateOptions {
  readonly cwd: string;
  readonly gate: AccessGate;
  /** Follow a link in the last part too. Links before it are always followed. */
  readonly follow: boolean;
  /**
   * The name itself is meant, as in all operations that make, move or remove one. A slash behind it doesn't follow a
   * link, and the caller judges what the slash asks for.
   */
  readonly isName?: boolean;
  /** A file is made where none is: a slash behind it is `EISDIR`. */
  readonly makesFile?: boolean;
  readonly call: FsCall;
}

// Linux's limit, as those of names and paths are (file-limits.ts).
const maxLinks = 40;

/**
 * Resolves `path` in the tree of `root`.
 *
 * Throws `ENOENT`, `ENOTDIR`, `ELOOP`, `ENAMETOOLONG`, `ERR_INVALID_ARG_VALUE` (a NUL),
 * `ERR_INVALID_ARG_TYPE` (no string), `EISDIR` where a file can't be made, and `EACCES` outside the
 * view's roots. What the view may not read is not there, nor is anything in it. Whatever stands in
 * a denied directory, a path into it has no node.
 */
export function locate(root: DirectoryNode, path: string, options: LocateOptions): Location {
  const { gate, call } = options;
  checkPath(path, call);
  let isDirectoryPath = asksForDirectory(path);
  const waiting: string[] = [];
  push(waiting, path.startsWith('/') ? path : `${options.cwd}/${path}`, call);

  let parents: DirectoryNode[] = [root];
  let paths = ['/'];
  // Counted over the whole path: links may lead to links, and loops don't end.
  let links = 0;
  while (waiting.length > 0) {
    const name = waiting.pop() ?? '';
    if (name === '.') continue;
    if (name === '..') {
      // Security: to have been in a directory tells that it is there.
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
    // Security: a denied link must not lead anywhere, and a denied directory's files are denied
    // with it (compilePathGlob). So links, the last part and where the way ends need judging.
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
      // Security: outside the roots the kind of the error must not tell what is there.
      gate.requireVisible(realPath, call);
      // The same in a denied directory: nothing exists below it, and nothing may be made there.
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

/** Does it end with a slash or a dot, which only a directory can have behind it? */
function asksForDirectory(path: string): boolean {
  return /(?:^|\/)\.?$/u.test(path);
}

/** By hand: a pattern would look at a long run of slashes from each of them. */
export function withoutEndSlashes(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}

/** Is its last part `.` or `..`, which are no names? */
export function endsWithDots(path: string): boolean {
  return /(?:^|\/)\.\.?\/*$/u.test(path);
}

/**
 * Puts the path's names on the stack, the first one on top. Only the last of all dots counts: what is before it must
 * exist.
 */
function push(waiting: string[], path: string, call: FsCall): void {
  const whole = withoutEndSlashes(path);
  // From the end, without a list of the names: every file operation comes through here.
  for (let end = whole.length; end > 0;) {
    const start = whole.lastIndexOf('/', end - 1) + 1;
    const name = whole.slice(start, end);
    if (byteLengthExceeds(name, maxNameBytes)) throw createFsError('ENAMETOOLONG', call);
    if (name !== '' && (name !== '.' || end === whole.length)) waiting.push(name);
    end = start - 1;
  }
}

/** Refuses what can be no path in any tree. Called for link targets too. */
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
