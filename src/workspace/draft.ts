// A draft: uncommitted changes over a root. It only points: forking costs nothing, and what it
// changed is found by comparing pointers. Every way to change the workspace goes through one.
import type { Change, ChangeSet, Version } from '../core/change-set.ts';
import { childPath, sortedNames, versionAt, withNode } from './tree.ts';
import type { DirectoryNode, TreeNode } from './tree.ts';
import { compareNames } from './path-order.ts';

/** Holds `base` for good and moves `root`. Nodes that it makes carry version 0. */
export class Draft {
  readonly base: DirectoryNode;
  /** The sequence number of the base. */
  readonly baseSeq: number;
  #root: DirectoryNode;

  constructor(base: DirectoryNode, baseSeq: number) {
    this.base = base;
    this.baseSeq = baseSeq;
    this.#root = base;
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
    this.#root = this.base;
  }

  /** All that differs from the base, or null. Costs what changed, not what is there. */
  changeSet(): ChangeSet | null {
    const diff: DiffLists = { removals: [], makings: [] };
    diffNodes('/', this.base, this.#root, diff);
    const changes = [...diff.removals, ...diff.makings];
    return changes.length === 0 ? null : { baseSeq: this.baseSeq, changes };
  }
}

/** Removals come first in a change set, children before parents; then makings, parents first. */
interface DiffLists {
  readonly removals: Change[];
  readonly makings: Change[];
}

function diffNodes(
  path: string,
  before: TreeNode | undefined,
  after: TreeNode | undefined,
  lists: DiffLists,
): void {
  if (before === after) return;
  if (before?.kind === 'directory' && after?.kind === 'directory') {
    diffDirectories(path, before, after, lists);
    return;
  }
  // A file gives way to a link and the other way round by the writing alone.
  if (before && (!after || before.kind === 'directory' || after.kind === 'directory')) {
    collectRemovals(path, before, lists.removals);
  }
  if (after && !isSameLeaf(before, after)) {
    collectMakings(path, after, before?.version ?? 0, lists.makings);
  }
}

function diffDirectories(
  path: string,
  before: DirectoryNode,
  after: DirectoryNode,
  lists: DiffLists,
): void {
  if (before.mode !== after.mode || before.mtimeMs !== after.mtimeMs) {
    lists.makings.push(toMaking(path, after, before.version));
  }
  const names: string[] = [];
  before.entries.diff(after.entries, (name) => names.push(name));
  for (const name of names.sort(compareNames)) {
    diffNodes(childPath(path, name), before.entries.get(name), after.entries.get(name), lists);
  }
}

function collectRemovals(path: string, node: TreeNode, removals: Change[]): void {
  if (node.kind === 'directory') {
    for (const name of sortedNames(node)) {
      const child = node.entries.get(name);
      if (child) collectRemovals(childPath(path, name), child, removals);
    }
  }
  removals.push({ type: 'remove', path, baseVersion: node.version });
}

function collectMakings(path: string, node: TreeNode, baseVersion: Version, makings: Change[]) {
  makings.push(toMaking(path, node, baseVersion));
  if (node.kind !== 'directory') return;
  for (const name of sortedNames(node)) {
    const child = node.entries.get(name);
    if (child) collectMakings(childPath(path, name), child, 0, makings);
  }
}

function toMaking(path: string, node: TreeNode, baseVersion: Version): Change {
  const { mtimeMs } = node;
  switch (node.kind) {
    case 'directory':
      return { type: 'mkdir', path, baseVersion, mode: node.mode, mtimeMs };
    case 'symlink':
      return { type: 'symlink', path, baseVersion, target: node.target, mtimeMs };
    case 'file': {
      const { mode, content } = node;
      return {
        type: 'write',
        path,
        baseVersion,
        mode,
        mtimeMs,
        content: typeof content === 'number' ? { contentId: content } : content,
      };
    }
  }
}

/** Was it only touched: moved away and back, say? */
function isSameLeaf(before: TreeNode | undefined, after: TreeNode): boolean {
  if (before?.kind === 'file' && after.kind === 'file') {
    return (
      before.content === after.content &&
      before.mode === after.mode &&
      before.mtimeMs === after.mtimeMs
    );
  }
  return (
    before?.kind === 'symlink' &&
    after.kind === 'symlink' &&
    before.target === after.target &&
    before.mtimeMs === after.mtimeMs
  );
}
