// Finds the paths at which two trees differ. It compares pointers and skips shared subtrees, so the
// cost depends only on the difference. Used by drafts, merges, rewinds and images.
import { compareNames } from './path-order.ts';
import { childPath, type DirectoryNode, type TreeNode } from './tree.ts';

/** The nodes at a path in two trees; undefined if missing. Never both undefined. */
export interface NodePair {
  readonly path: string;
  readonly before: TreeNode | undefined;
  readonly after: TreeNode | undefined;
}

/**
 * Visits each path with different nodes, directories before entries, names in order. If only one
 * side has a directory, everything below it is visited. If both have one, it is visited itself only
 * if its own mode, time or version differs.
 */
export function diffTrees(
  before: DirectoryNode,
  after: DirectoryNode,
  visit: (pair: NodePair) => void,
): void {
  diffNodes({ path: '/', before, after }, visit);
}

function diffNodes(pair: NodePair, visit: (pair: NodePair) => void): void {
  const { path, before, after } = pair;
  if (before === after) return;
  const [old, fresh] = [directoryOf(before), directoryOf(after)];
  if (!old || !fresh || !haveSameAttributes(old, fresh)) visit(pair);
  for (const name of differingNames(old, fresh)) {
    diffNodes(
      {
        path: childPath(path, name),
        before: old?.entries.get(name),
        after: fresh?.entries.get(name),
      },
      visit,
    );
  }
}

function differingNames(
  before: DirectoryNode | undefined,
  after: DirectoryNode | undefined,
): string[] {
  const names = before && after ? [] : [...((before ?? after)?.entries.keys() ?? [])];
  if (before && after) before.entries.diff(after.entries, (name) => names.push(name));
  return names.sort(compareNames);
}

function directoryOf(node: TreeNode | undefined): DirectoryNode | undefined {
  return node?.kind === 'directory' ? node : undefined;
}

function haveSameAttributes(before: DirectoryNode, after: DirectoryNode): boolean {
  return (
    before.mode === after.mode &&
    before.mtimeMs === after.mtimeMs &&
    before.version === after.version
  );
}
