// The paths at which two trees differ. It compares pointers and skips shared subtrees, so its cost
// grows with the difference alone. Drafts, merges, rewinds and images use it.
import { compareNames } from './path-order.ts';
import { childPath, type DirectoryNode, type TreeNode } from './tree.ts';

/** What stands at a path in each of two trees; undefined for nothing. Never both undefined. */
export interface NodePair {
  readonly path: string;
  readonly before: TreeNode | undefined;
  readonly after: TreeNode | undefined;
}

/**
 * Visits each path whose node is another one, parents first, names in order. Where one side has a
 * directory and the other has not, all below it is visited too. Two directories at one path are
 * visited themselves only if their own mode, time or version differ.
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
