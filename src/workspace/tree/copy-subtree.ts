// Takes what one tree has at a path into another: how a part of a branch is accepted, a part of a
// checkpoint is gone back to, and a person's edits outlive a rewind. Pure; shares all nodes.
import { PersistentMap } from './persistent-map.ts';
import { childPath, nodeAt, withNode, type DirectoryNode, type TreeNode } from './tree.ts';

/**
 * `onto` with what `from` has at the path, all below it included; without the path where `from` has
 * nothing there. Directories on the way are made as `from` has them, in the place of whatever is no
 * directory.
 */
function graft(onto: DirectoryNode, from: DirectoryNode, path: string): DirectoryNode {
  const node = nodeAt(from, path);
  if (!node) return nodeAt(onto, path) ? withNode(onto, path, undefined) : onto;
  return withNode(withParents(onto, from, path), path, node);
}

/** {@link graft} of each path. `/` takes all. */
export function takePaths(
  onto: DirectoryNode,
  from: DirectoryNode,
  paths: readonly string[],
): DirectoryNode {
  return paths.reduce((root, path) => graft(root, from, path), onto);
}

/**
 * As {@link graft}, but of a directory only itself: what `onto` has in it stays. One that `from`
 * doesn't have goes only when it is empty.
 */
export function graftNode(onto: DirectoryNode, from: DirectoryNode, path: string): DirectoryNode {
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
