// Makes the visible rows of the file tree. Pure; a click takes one pass.

export interface TreeRow {
  /** Absolute. A directory's path has no trailing slash. */
  readonly path: string;
  readonly name: string;
  /** 1 at the top, as ARIA counts. */
  readonly level: number;
  readonly kind: 'file' | 'directory';
  readonly isExpanded: boolean;
  /** The place among its siblings, and their number, for screen readers. */
  readonly position: number;
  readonly siblings: number;
}

interface Directory {
  readonly directories: Map<string, Directory>;
  readonly files: string[];
}

/**
 * The rows below `root`: directories first, each in alphabetical order. The content of closed directories is left
 * out.
 */
export function toTreeRows(
  root: string,
  paths: readonly string[],
  expanded: ReadonlySet<string>,
): TreeRow[] {
  const rows: TreeRow[] = [];
  addRows(rows, root, toDirectory(root, paths), 1, expanded);
  return rows;
}

function toDirectory(root: string, paths: readonly string[]): Directory {
  const top: Directory = { directories: new Map(), files: [] };
  for (const path of paths) {
    const parts = path.slice(root.length + 1).split('/');
    const name = parts.pop() ?? '';
    let directory = top;
    for (const part of parts) {
      const child = directory.directories.get(part) ?? { directories: new Map(), files: [] };
      directory.directories.set(part, child);
      directory = child;
    }
    directory.files.push(name);
  }
  return top;
}

function addRows(
  rows: TreeRow[],
  parent: string,
  directory: Directory,
  level: number,
  expanded: ReadonlySet<string>,
): void {
  const siblings = directory.directories.size + directory.files.length;
  let position = 0;
  for (const name of [...directory.directories.keys()].sort(compareNames)) {
    const path = `${parent}/${name}`;
    const isExpanded = expanded.has(path);
    rows.push({
      path,
      name,
      level,
      kind: 'directory',
      isExpanded,
      position: (position += 1),
      siblings,
    });
    const child = directory.directories.get(name);
    if (isExpanded && child) addRows(rows, path, child, level + 1, expanded);
  }
  for (const name of directory.files.sort(compareNames)) {
    rows.push({
      path: `${parent}/${name}`,
      name,
      level,
      kind: 'file',
      isExpanded: false,
      position: (position += 1),
      siblings,
    });
  }
}

function compareNames(a: string, b: string): number {
  return a.localeCompare(b, 'en', { sensitivity: 'base', numeric: true }) || (a < b ? -1 : 1);
}

/** The directories that lead to a path, so that it can be shown. */
export function parentsOf(root: string, path: string): string[] {
  const parents: string[] = [];
  for (let at = path.lastIndexOf('/'); at > root.length; at = path.lastIndexOf('/', at - 1)) {
    parents.push(path.slice(0, at));
  }
  return parents;
}
