// Computes the tree of `main` after a rewind to a checkpoint, whole or in parts. If the caller asks
// for it, a person's own edits are kept, and so is a git repository that a person worked in, as a
// whole. Mounts that were read after the checkpoint are always kept. A pure function.
import type { Version } from '../../core/change-set.ts';
import { isInside } from '../../core/path.ts';
import { copyNode, copySubtrees } from '../tree/copy-subtree.ts';
import { diffTrees } from '../tree/diff-trees.ts';
import type { PersistentMap } from '../tree/persistent-map.ts';
import { listUnreadMounts } from '../state/mirror-roots.ts';
import type { RootChange } from '../state/record.ts';
import { isSameNode } from '../tree/same-node.ts';
import type { NamedRoot } from '../state/state.ts';
import { nodeAt, type DirectoryNode } from '../tree/tree.ts';

/** The state before the rewind, and the checkpoint. */
export interface RewindSource {
  readonly main: DirectoryNode;
  readonly userEdits: PersistentMap<Version>;
  readonly checkpoint: NamedRoot;
  /** The workspace's roots, including the mirrors of mounts. */
  readonly roots: ReadonlyMap<string, NamedRoot>;
}

export interface RewindPlan {
  readonly root: DirectoryNode;
  /** Paths that the rewind would have changed but that `keep` preserved, in order. */
  readonly kept: readonly string[];
}

/**
 * Plans the rewind. A kept file stays together with its parent directories. A path that a person
 * removed stays removed, except for directories into which something returns. A `.git` in which a
 * person changed anything stays unchanged, because its refs, index and objects depend on each
 * other. So does a mount that was first read after the checkpoint.
 */
export function planRewind(
  { main, userEdits, checkpoint, roots }: RewindSource,
  { paths, keep }: Pick<RootChange & { readonly type: 'rewind' }, 'paths' | 'keep'>,
): RewindPlan {
  const rewound = copySubtrees(main, checkpoint.root, paths);
  const unkept = copySubtrees(rewound, main, listUnreadMounts(roots, checkpoint));
  if (keep !== 'user') return { root: unkept, kept: [] };
  const edited: string[] = [];
  const repositories = new Set<string>();
  userEdits.forEach((path, seq) => {
    if (seq <= checkpoint.baseSeq) return;
    const repository = findRepository(path);
    if (repository !== undefined) repositories.add(repository);
    else if (paths.some((directory) => isInside(directory, path))) edited.push(path);
  });
  let root = copySubtrees(unkept, main, [...repositories]);
  const ofGit: string[] = [];
  diffTrees(unkept, root, ({ path, before, after }) => {
    const isLeaf = [before, after].some((node) => node && node.kind !== 'directory');
    if (isLeaf && !isSameNode(before, after)) ofGit.push(path);
  });
  // Sorted, so that parents come before their entries. Removals are done in reverse order.
  edited.sort();
  const removed = edited.filter((path) => !nodeAt(main, path)).reverse();
  for (const path of edited) if (nodeAt(main, path)) root = copyNode(root, main, path);
  for (const path of removed) root = copyNode(root, main, path);
  const result = root;
  const isKept = (path: string) => !isSameNode(nodeAt(result, path), nodeAt(checkpoint.root, path));
  return { root, kept: [...edited.filter(isKept), ...ofGit].sort() };
}

/** Returns the `.git` directory that the path is, or is in. */
function findRepository(path: string): string | undefined {
  return /^.*?\/\.git(?=\/|$)/u.exec(path)?.[0];
}
