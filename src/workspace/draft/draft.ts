// A draft: uncommitted changes over a root or over another draft. A fork copies no nodes, and
// changes are found by comparing pointers. Every change of the workspace goes through a draft.
import type { Change, ChangeSet, Version } from '../../core/change-set.ts';
import { SdkError } from '../../core/errors.ts';
import { dirname } from '../../core/path.ts';
import { diffRoots } from '../tree/diff-roots.ts';
import { joinTrees } from '../tree/join-trees.ts';
import { nodeAt, versionAt, withNode } from '../tree/tree.ts';
import type { DirectoryNode, TreeNode } from '../tree/tree.ts';

/** `base` and `start` are fixed, `root` advances. Nodes that a draft creates have version 0. */
export class Draft {
  /** The committed root below all drafts. A commit compares its versions. */
  readonly base: DirectoryNode;
  /** The sequence number of the base. */
  readonly baseSeq: number;
  /** The root with which the draft began: the base, or the outer draft's root at the fork. */
  readonly start: DirectoryNode;
  #root: DirectoryNode;

  constructor(base: DirectoryNode, baseSeq: number, start: DirectoryNode = base) {
    this.base = base;
    this.baseSeq = baseSeq;
    this.start = start;
    this.#root = start;
  }

  get root(): DirectoryNode {
    return this.#root;
  }

  /** Puts a node at a real path, or removes the node there. The parent must be a directory. */
  put(path: string, node: TreeNode | undefined): void {
    this.#root = withNode(this.#root, path, node);
  }

  /** Returns the version that a commit compares: the base's version at this real path. */
  versionOf(path: string): Version {
    return versionAt(this.base, path);
  }

  /** Returns to an earlier root of this draft. A failed operation undoes its changes with it. */
  reset(root: DirectoryNode): void {
    this.#root = root;
  }

  rollback(): void {
    this.#root = this.start;
  }

  /**
   * Creates a draft over the current root of this one. Neither sees later changes of the other
   * until {@link Draft.absorb} takes over the fork's. A fork may also be dropped.
   */
  fork(): Draft {
    return new Draft(this.base, this.baseSeq, this.#root);
  }

  /**
   * Takes over the changes of a fork of this draft. Don't use the fork afterwards. Throws
   * `ECONFLICT` with `data.paths` if this draft has changed the same path since the fork. Nothing
   * is taken over then.
   */
  absorb(fork: Draft): void {
    if (fork.base !== this.base) throw new TypeError('Only a fork of this draft can be absorbed.');
    const joined = joinTrees(fork.start, fork.root, this.#root);
    if (joined.type === 'conflict') throw conflict(joined.paths);
    this.#root = joined.root;
  }

  /**
   * Returns every difference from the draft's start, or null. Each path is a change of its own,
   * because rules are checked for each. The cost is proportional to the changes. A fork's change
   * set is for checks and display; only the outermost draft is committed.
   */
  changeSet(): ChangeSet | null {
    return this.#changeSet(false);
  }

  /**
   * Same as {@link changeSet}, but a removed directory is one change that doesn't list its entries.
   * Only for callers without rules, such as a person in their own files.
   */
  compactChangeSet(): ChangeSet | null {
    return this.#changeSet(true);
  }

  /**
   * Returns the bytes of file content that only this draft holds. Content shared by copies counts
   * once. The cost is proportional to the changes.
   */
  heldBytes(): number {
    const contents = new Set<Uint8Array>();
    for (const change of diffRoots(this.start, this.#root)) {
      if (change.type === 'write' && change.content instanceof Uint8Array) {
        contents.add(change.content);
      }
    }
    let bytes = 0;
    for (const content of contents) bytes += content.length;
    return bytes;
  }

  #changeSet(isCompact: boolean): ChangeSet | null {
    if (this.#root === this.start) return null;
    const changes = diffRoots(this.start, this.#root, { versions: this.base, isCompact });
    if (changes.length === 0) return null;
    return {
      baseSeq: this.baseSeq,
      changes: changes.map((change) => withParent(change, this.base)),
    };
  }
}

/**
 * A change that creates a node names its parent directory, because another directory may have that
 * path when it is committed.
 */
function withParent(change: Change, base: DirectoryNode): Change {
  if (change.type === 'remove' || change.baseVersion !== 0) return change;
  const parent = nodeAt(base, dirname(change.path));
  // The root directory never changes its identity and has no version.
  if (parent?.kind !== 'directory' || parent.version === 0) return change;
  return { ...change, parentVersion: parent.version };
}

function conflict(paths: readonly string[]): SdkError {
  return new SdkError(
    'ECONFLICT',
    `ECONFLICT: changed in the outer draft since it was forked: ${paths.slice(0, 5).join(', ')}. ` +
      'Nothing was taken over; fork it again and redo the work.',
    { data: { paths } },
  );
}
