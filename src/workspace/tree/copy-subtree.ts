// Copies the subtree at a path from one tree into another. Merging a part of a branch and rewinding
// a part of `main` are made of it. A person's edits that outlive a rewind are copied with it too.
// Pure; nodes are shared.
import { PersistentMap } from './persistent-map.ts';
import { childPath, nodeAt, withNode, type DirectoryNode, type TreeNode } from './tree.ts';

/**
 * `onto` with the subtree that `from` has at the path. Where `from` has nothing there, the path is
 * removed. Missing directories on the way are made as `from` has them; anything there that is no
 * directory is replaced.
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
