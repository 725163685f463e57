// Copies what one tree has at a path into another tree. Merges of a branch's paths, rewinds of single
// paths and a person's edits that outlive a rewind need it. It is pure, and shares all nodes.
import { PersistentMap } from './persistent-map.ts';
import { childPath, nodeAt, withNode, type DirectoryNode, type TreeNode } from './tree.ts';

/**
 * `onto` with the subtree that `from` has at the path. Where `from` has nothing there, the path is
 * removed. Missing directories on the way are made as `from` has them; anything there that is no
 * directory is replaced.
 */
function copySubtree(onto: DirectoryNode, from: DirectoryNode, path: string): DirectoryNode {
  const node = nodeAt(from, path);
  if (!node) return nodeAt(onto, path) ? withNode(onto, path, undefined) : onto;
  return withNode(withParents(onto, from, path), path, node);
}

/** {@link copySubtree} of each path. `/` takes all. */
export function copySubtrees(
  onto: DirectoryNode,
  from: DirectoryNode,
  paths: readonly string[],
): DirectoryNode {
  return paths.reduce((root, path) => copySubtree(root, from, path), onto);
}

/**
 * As {@link copySubtree}, but of a directory only itself: what `onto` has in it stays. One that `from`
 * doesn't have goes only when it is empty.
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
