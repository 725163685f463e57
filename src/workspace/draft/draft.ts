// A draft: uncommitted changes over a root or over another draft. Forking copies no nodes, and
// changes are found by comparing pointers. Every change of the workspace goes through a draft.
import type { Change, ChangeSet, Version } from '../../core/change-set.ts';
import { SdkError } from '../../core/errors.ts';
import { dirname } from '../../core/path.ts';
import { diffRoots } from '../tree/diff-roots.ts';
import { joinTrees } from '../tree/join-trees.ts';
import { nodeAt, versionAt, withNode } from '../tree/tree.ts';
import type { DirectoryNode, TreeNode } from '../tree/tree.ts';

/** Holds `base` and `start` for good and moves `root`. Nodes that it makes carry version 0. */
export class Draft {
  /** The committed root below all drafts: its versions are those that a commit compares. */
  readonly base: DirectoryNode;
  /** The sequence number of the base. */
  readonly baseSeq: number;
  /** What the draft began with: the base, or the outer draft's root when this one was forked. */
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

  /** Puts a node at a real path, or removes what stands there. Its parent must be a directory. */
  put(path: string, node: TreeNode | undefined): void {
    this.#root = withNode(this.#root, path, node);
  }

  /** The version that a commit will compare: what the base has at this real path. */
  versionOf(path: string): Version {
    return versionAt(this.base, path);
  }

  /**
   * Goes back to an earlier root of this draft. An operation that failed half-way undoes itself
   * with it.
   */
  reset(root: DirectoryNode): void {
    this.#root = root;
  }

  rollback(): void {
    this.#root = this.start;
  }

  /**
   * A draft over this one's present root. Neither sees later changes of the other until {@link
   * Draft.absorb} takes the fork in. A fork may also be dropped.
   */
  fork(): Draft {
    return new Draft(this.base, this.baseSeq, this.#root);
  }

  /**
   * Takes over the changes of a fork of this draft; the fork must not be used afterwards. Throws
   * `ECONFLICT` with `data.paths` where this draft has changed the same path since, and then takes
   * nothing.
   */
  absorb(fork: Draft): void {
    if (fork.base !== this.base) throw new TypeError('Only a fork of this draft can be absorbed.');
    const joined = joinTrees(fork.start, fork.root, this.#root);
    if (joined.type === 'conflict') throw conflict(joined.paths);
    this.#root = joined.root;
  }

  /**
   * Every difference from the draft's start, or null. Each path is a change of its own, as rules
   * are asked about each. It costs as much as was changed. A fork's change set is for judging and
   * showing; the outermost draft's is committed.
   */
  changeSet(): ChangeSet | null {
    return this.#changeSet(false);
  }

  /**
   * As {@link changeSet}, but a removed directory is one change that doesn't list what was in it.
   * Only for callers without rules, such as a person in their own files.
   */
  compactChangeSet(): ChangeSet | null {
    return this.#changeSet(true);
  }

  /**
   * Bytes of file content that only this draft holds. Content that its files share (copies do)
   * counts once. It costs as much as was changed.
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
 * A new node's change names the directory it was made in. Another directory may have that path by
 * the time of the commit.
 */
function withParent(change: Change, base: DirectoryNode): Change {
  if (change.type === 'remove' || change.baseVersion !== 0) return change;
  const parent = nodeAt(base, dirname(change.path));
  // The root is always the same one, and has no version.
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
