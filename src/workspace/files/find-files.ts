// Finds the files of many paths at once, for `readMany`. Paths in the same directory share the
// resolution of that directory.
import { childPath } from '../tree/tree.ts';
import type { DirectoryNode, FileNode } from '../tree/tree.ts';
import { maxPathBytes } from './file-limits.ts';
import { findReadableFile, locateIn } from './read-operations.ts';
import type { FileScope } from './read-operations.ts';

/** A directory as the paths name it, and its node. */
interface Directory {
  readonly given: string;
  /** Undefined if each path in the directory must be resolved as a whole. */
  readonly found: { readonly path: string; readonly node: DirectoryNode } | undefined;
}

/** Returns for each path what {@link findReadableFile} returns or throws. */
export function findReadableFiles(
  scope: FileScope,
  paths: readonly string[],
): (FileNode | Error)[] {
  let last: Directory | undefined;
  return paths.map((path) => {
    if (isShort(path)) {
      const end = path.lastIndexOf('/');
      const given = path.slice(0, end);
      if (end > 0 && last?.given !== given) last = { given, found: findDirectory(scope, given) };
      if (end > 0 && last?.found) {
        const name = path.slice(end + 1);
        const node = last.found.node.entries.get(name);
        // Security: anything that isn't simply allowed is resolved as a whole path, in the same way
        // as a link.
        const isPlain = node?.kind === 'file';
        if (isPlain && scope.gate.mayRead(childPath(last.found.path, name))) return node;
      }
    }
    return findAlone(scope, path);
  });
}

/** True if the path is certainly short enough. A UTF-16 unit takes at most three bytes in UTF-8. */
function isShort(path: unknown): path is string {
  return typeof path === 'string' && path.length * 3 <= maxPathBytes;
}

function findDirectory(scope: FileScope, given: string): Directory['found'] {
  try {
    const call = { syscall: 'open', path: given };
    const { path, node } = locateIn(scope, given, { follow: true, call });
    return node?.kind === 'directory' ? { path, node } : undefined;
  } catch {
    // Each of the paths then reports its own error.
    return undefined;
  }
}

function findAlone(scope: FileScope, path: string): FileNode | Error {
  try {
    return findReadableFile(scope, path, { syscall: 'open', path });
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}
