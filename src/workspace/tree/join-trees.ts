// Merges two trees with a common ancestor by comparing pointers. Drafts use it to absorb a fork.
// Paths that both sides changed are conflicts; file contents are never compared.
import { compareNames } from './path-order.ts';
import { PersistentMap } from './persistent-map.ts';
import { childPath, type DirectoryNode, type TreeNode } from './tree.ts';

/** The merged tree, or every path that both sides have changed. */
export type JoinedTrees =
  | { readonly type: 'joined'; readonly root: DirectoryNode }
  | { readonly type: 'conflict'; readonly paths: readonly string[] };

/**
 * Returns `onto` with the differences between `base` and `changed`, at a cost proportional to them.
 * A path that both sides changed is a conflict, unless both have the identical node.
 */
export function joinTrees(
  base: DirectoryNode,
  changed: DirectoryNode,
  onto: DirectoryNode,
): JoinedTrees {
  const paths: string[] = [];
  const root = joinNodes('/', { base, changed, onto }, paths);
  if (paths.length > 0 || root?.kind !== 'directory') return { type: 'conflict', paths };
  return { type: 'joined', root };
}

interface NodeTriple {
  readonly base: TreeNode | undefined;
  readonly changed: TreeNode | undefined;
  readonly onto: TreeNode | undefined;
}

function joinNodes(path: string, triple: NodeTriple, conflicts: string[]): TreeNode | undefined {
  const { base, changed, onto } = triple;
  if (changed === base || changed === onto) return onto;
  if (onto === base) return changed;
  if (changed?.kind === 'directory' && onto?.kind === 'directory') {
    // Both sides created the directory. Their entries are joined as if it had existed before,
    // empty.
    const old = base?.kind === 'directory' ? base : undefined;
    return joinDirectories(path, { base: old, changed, onto }, conflicts);
  }
  // One side removed the directory, the other only removed entries of it.
  const rest = changed && onto ? undefined : (changed ?? onto);
  if (rest && isRest(rest, base)) return undefined;
  conflicts.push(path);
  return onto;
}

/** True if the node is what remains of the base after removals only. */
function isRest(node: TreeNode, base: TreeNode | undefined): boolean {
  if (node === base) return true;
  if (node.kind !== 'directory' || base?.kind !== 'directory') return false;
  let isLess = node.mode === base.mode && node.mtimeMs === base.mtimeMs;
  base.entries.diff(node.entries, (_name, before, after) => {
    if (after && !isRest(after, before)) isLess = false;
  });
  return isLess;
}

interface DirectoryTriple {
  readonly base: DirectoryNode | undefined;
  readonly changed: DirectoryNode;
  readonly onto: DirectoryNode;
}

function joinDirectories(
  path: string,
  { base, changed, onto }: DirectoryTriple,
  conflicts: string[],
): DirectoryNode {
  const before = base?.entries ?? PersistentMap.empty<TreeNode>();
  const names: string[] = [];
  before.diff(changed.entries, (name) => names.push(name));
  let { entries } = onto;
  for (const name of names.sort(compareNames)) {
    const triple = {
      base: before.get(name),
      changed: changed.entries.get(name),
      onto: entries.get(name),
    };
    const node = joinNodes(childPath(path, name), triple, conflicts);
    entries = node ? entries.set(name, node) : entries.delete(name);
  }
  const isTouched = base?.mode !== changed.mode || base.mtimeMs !== changed.mtimeMs;
  if (!isTouched && entries === onto.entries) return onto;
  const hasOwnMode = base?.mode !== onto.mode && changed.mode !== onto.mode;
  if (base && hasOwnMode && base.mode !== changed.mode) conflicts.push(path);
  const { mode, mtimeMs } = isTouched ? changed : onto;
  return { ...onto, entries, mode, mtimeMs };
}
