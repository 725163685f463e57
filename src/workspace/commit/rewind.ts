// The tree of `main` after a rewind to a checkpoint, whole or in parts. A person's own edits are
// kept where the caller asks for it. Mounts that were read later are always kept. Pure.
import type { Version } from '../../core/change-set.ts';
import { isInside } from '../../core/path.ts';
import { copyNode, copySubtrees } from '../tree/copy-subtree.ts';
import type { PersistentMap } from '../tree/persistent-map.ts';
import { listUnreadMounts } from '../state/mirror-roots.ts';
import type { RootChange } from '../state/record.ts';
import { isSameNode } from '../tree/same-node.ts';
import type { NamedRoot } from '../state/state.ts';
import { nodeAt, type DirectoryNode } from '../tree/tree.ts';

/** The states to rewind from and to. */
export interface RewindSource {
  readonly main: DirectoryNode;
  readonly userEdits: PersistentMap<Version>;
  readonly checkpoint: NamedRoot;
  /** Those of the workspace, with its mounts' mirrors. */
  readonly roots: ReadonlyMap<string, NamedRoot>;
}

export interface RewindPlan {
  readonly root: DirectoryNode;
  /** Paths that the rewind would have changed and `keep` left alone. In order. */
  readonly kept: readonly string[];
}

/**
 * The tree after the rewind. A person's file stays together with the directories above it; a path
 * that a person removed stays removed, a directory as far as nothing comes back into it. A mount that was
 * read only after the checkpoint stays as it is.
 */
export function planRewind(
  { main, userEdits, checkpoint, roots }: RewindSource,
  { paths, keep }: Pick<RootChange & { readonly type: 'rewind' }, 'paths' | 'keep'>,
): RewindPlan {
  const rewound = copySubtrees(main, checkpoint.root, paths);
  let root = copySubtrees(rewound, main, listUnreadMounts(roots, checkpoint));
  if (keep !== 'user') return { root, kept: [] };
  const edited: string[] = [];
  userEdits.forEach((path, seq) => {
    const isAsked = paths.some((directory) => isInside(directory, path));
    if (isAsked && seq > checkpoint.baseSeq) edited.push(path);
  });
  // Parents first, as a path sorts before those below it; removals the other way round.
  edited.sort();
  const removed = edited.filter((path) => !nodeAt(main, path)).reverse();
  for (const path of edited) if (nodeAt(main, path)) root = copyNode(root, main, path);
  for (const path of removed) root = copyNode(root, main, path);
  const result = root;
  const isKept = (path: string) => !isSameNode(nodeAt(result, path), nodeAt(checkpoint.root, path));
  return { root, kept: edited.filter(isKept) };
}
