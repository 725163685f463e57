// A draft: uncommitted changes over a root, or over another draft. It only points: forking costs
// nothing, and what it changed is found by comparing pointers. Every way to change the workspace
// goes through one.
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

  /** Goes back to a root that this draft had: how an operation that failed half-way undoes itself. */
  reset(root: DirectoryNode): void {
    this.#root = root;
  }

  rollback(): void {
    this.#root = this.start;
  }

  /**
   * A draft over what this one holds now. Neither sees what the other does from here on, until the
   * inner one is taken in by {@link Draft.absorb}, or forgotten.
   */
  fork(): Draft {
    return new Draft(this.base, this.baseSeq, this.#root);
  }

  /**
   * Takes over what a fork of this draft changed; the fork is done with then. Where this draft has
   * changed the same path since, it throws `ECONFLICT` with `data.paths`, and takes nothing.
   */
  absorb(fork: Draft): void {
    if (fork.base !== this.base) throw new TypeError('Only a fork of this draft can be absorbed.');
    const joined = joinTrees(fork.start, fork.root, this.#root);
    if (joined.type === 'conflict') throw conflict(joined.paths);
    this.#root = joined.root;
  }

  /**
   * All that differs from what the draft began with, or null: every path by itself, as rules are
   * asked about each. Costs what changed, not what is there. A fork's is for judging and showing:
   * what is committed is the outermost draft's.
   */
  changeSet(): ChangeSet | null {
    return this.#changeSet(false);
  }

  /**
   * As {@link changeSet}, but a directory that went with all below it is one change. Only for whoever
   * may do all, as a person in their own files: it doesn't name what it removes.
   */
  compactChangeSet(): ChangeSet | null {
    return this.#changeSet(true);
  }

  /**
   * Bytes of file content that are nowhere but in this draft; what its files share (copies do) counts
   * once. Costs what changed.
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
    const changes = diffRoots(this.start, this.#root, { versions: this.base, isCompact });
    if (changes.length === 0) return null;
    return {
      baseSeq: this.baseSeq,
      changes: changes.map((change) => withParent(change, this.base)),
    };
  }
}

/** What is new tells which directory it was made in: another one may have its name by then. */
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
