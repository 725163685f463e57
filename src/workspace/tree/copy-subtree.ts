// Copies the node at a path of one tree into another tree. Used by merges of a branch's paths,
// partial rewinds, and rewinds that keep a person's edits. Pure functions that share all nodes.
import { PersistentMap } from './persistent-map.ts';
import { childPath, nodeAt, withNode, type DirectoryNode, type TreeNode } from './tree.ts';

/**
 * Returns `onto` with the subtree that `from` has at the path. If `from` has nothing there, the
 * path is removed. Missing parent directories are created as in `from`; other nodes in their place
 * are replaced.
 */
function copySubtree(onto: DirectoryNode, from: DirectoryNode, path: string): DirectoryNode {
  const node = nodeAt(from, path);
  if (!node) return nodeAt(onto, path) ? withNode(onto, path, undefined) : onto;
  return withNode(withParents(onto, from, path), path, node);
}

/** Applies {@link copySubtree} for each path. `/` copies everything. */
export function copySubtrees(
  onto: DirectoryNode,
  from: DirectoryNode,
  paths: readonly string[],
): DirectoryNode {
  return paths.reduce((root, path) => copySubtree(root, from, path), onto);
}

/**
 * Same as {@link copySubtree}, but copies only the node itself: a directory keeps the entries of
 * `onto`. A directory that `from` doesn't have is only removed if it is empty.
 */
export function copyNode(onto: DirectoryNode, from: DirectoryNode, path: string): DirectoryNode {
  const node = nodeAt(from, path);
  const current = nodeAt(onto, path);
  if (!node) {
    const isFull = current?.kind === 'directory' && current.entries.size > 0;
    return current && !isFull ? withNode(onto, path, undefined) : onto;
  }
  const shallow = node.kind === 'directory' ? { ...node, entries: entriesOf(current) } : node;
  return withNode(withParents(onto, from, path), path, shallow);
}

function withParents(onto: DirectoryNode, from: DirectoryNode, path: string): DirectoryNode {
  let root = onto;
  let at = '/';
  for (const name of path.split('/').slice(1, -1)) {
    at = childPath(at, name);
    const model = nodeAt(from, at);
    if (nodeAt(root, at)?.kind === 'directory' || model?.kind !== 'directory') continue;
    root = withNode(root, at, { ...model, entries: entriesOf(undefined) });
  }
  return root;
}

function entriesOf(node: TreeNode | undefined): PersistentMap<TreeNode> {
  return node?.kind === 'directory' ? node.entries : PersistentMap.empty<TreeNode>();
}
