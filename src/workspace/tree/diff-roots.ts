// Computes the change set that turns one root into another. Removals come first, entries before
// directories; then new nodes, directories before entries. Drafts, merges and rewinds are committed
// this way.
import type { Change, ChangeContent, FileBase, Version } from '../../core/change-set.ts';
import { compareNames } from './path-order.ts';
import { childPath, nodeAt, sortedNames, subtreeVersion } from './tree.ts';
import type { DirectoryNode, FileContent, TreeNode } from './tree.ts';

export interface DiffRootsOptions {
  /** The committed root with the versions for the commit, if it isn't `before`. */
  readonly versions?: DirectoryNode;
  /** A removed directory is one change, instead of one for each path below it. */
  readonly isCompact?: boolean;
}

/**
 * Returns the changes from `before` to `after`. Differences of versions alone don't count. The cost
 * is proportional to the differences.
 */
export function diffRoots(
  before: DirectoryNode,
  after: DirectoryNode,
  { versions = before, isCompact = false }: DiffRootsOptions = {},
): Change[] {
  const lists: DiffLists = { isCompact, removals: [], makings: [] };
  diffNodes('/', before, after, lists);
  const changes = [...lists.removals, ...lists.makings];
  if (versions === before) return changes;
  return changes.map((change) => {
    const node = nodeAt(versions, change.path);
    const isRecursive = change.type === 'remove' && change.recursive;
    const version = node && isRecursive ? subtreeVersion(node) : node?.version;
    return { ...change, baseVersion: version ?? 0 };
  });
}

interface DiffLists {
  readonly isCompact: boolean;
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
  // A file and a link replace each other without a removal.
  if (before && (!after || before.kind === 'directory' || after.kind === 'directory')) {
    collectRemovals(path, before, lists);
  }
  if (after && !isSameLeaf(before, after)) collectMakings(path, after, before, lists.makings);
}

function diffDirectories(
  path: string,
  before: DirectoryNode,
  after: DirectoryNode,
  lists: DiffLists,
): void {
  if (before.mode !== after.mode || before.mtimeMs !== after.mtimeMs) {
    lists.makings.push(toMaking(path, after, before));
  }
  const names: string[] = [];
  before.entries.diff(after.entries, (name) => names.push(name));
  for (const name of names.sort(compareNames)) {
    diffNodes(childPath(path, name), before.entries.get(name), after.entries.get(name), lists);
  }
}

function collectRemovals(path: string, node: TreeNode, lists: DiffLists): void {
  if (node.kind === 'directory') {
    if (lists.isCompact && node.entries.size > 0) {
      const baseVersion = subtreeVersion(node);
      lists.removals.push({ type: 'remove', path, baseVersion, recursive: true });
      return;
    }
    for (const name of sortedNames(node)) {
      const child = node.entries.get(name);
      if (child) collectRemovals(childPath(path, name), child, lists);
    }
  }
  lists.removals.push({ type: 'remove', path, baseVersion: node.version });
}

function collectMakings(
  path: string,
  node: TreeNode,
  before: TreeNode | undefined,
  makings: Change[],
): void {
  makings.push(toMaking(path, node, before));
  if (node.kind !== 'directory') return;
  for (const name of sortedNames(node)) {
    const child = node.entries.get(name);
    if (child) collectMakings(childPath(path, name), child, undefined, makings);
  }
}

function toMaking(path: string, node: TreeNode, before: TreeNode | undefined): Change {
  const { mtimeMs } = node;
  const baseVersion: Version = before?.version ?? 0;
  switch (node.kind) {
    case 'directory':
      return { type: 'mkdir', path, baseVersion, mode: node.mode, mtimeMs };
    case 'symlink':
      return { type: 'symlink', path, baseVersion, target: node.target, mtimeMs };
    case 'file': {
      const { mode, content } = node;
      const base = toFileBase(before);
      return {
        type: 'write',
        path,
        baseVersion,
        mode,
        mtimeMs,
        content: toContent(content, node.size),
        ...(base && { base }),
      };
    }
  }
}

/** An empty file is marked as such, because rules distinguish changes that empty a file. */
function toContent(content: FileContent, size: number): ChangeContent {
  if (typeof content !== 'number') return content;
  return size === 0 ? new Uint8Array() : { contentId: content };
}

/** Undefined also for a file that only a draft has, because the writer doesn't know its content. */
function toFileBase(node: TreeNode | undefined): FileBase | undefined {
  if (node?.kind !== 'file' || typeof node.content !== 'number') return undefined;
  return { contentId: node.content, mode: node.mode };
}

/** True if the node is unchanged, for example moved away and back. */
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
