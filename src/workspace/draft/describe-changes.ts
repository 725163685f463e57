// Describes the difference of two trees for people: each changed path with its state before and
// after, and a patch. Used for branches, checkpoints, and tools whose changed files aren't known
// beforehand.
import { isGitOwnPath } from '../../core/access/git-store.ts';
import type { FileChange } from '../../core/change-set.ts';
import { dirname } from '../../core/path.ts';
import { isSameBytes } from '../../core/bytes/same-bytes.ts';
import type { ContentSource } from '../state/content-source.ts';
import { diffTrees, type NodePair } from '../tree/diff-trees.ts';
import type { Draft } from './draft.ts';
import type { AccessGate } from '../files/access.ts';
import { compareNames } from '../tree/path-order.ts';
import { isSameNode } from '../tree/same-node.ts';
import { toFileChange } from '../../text/patch.ts';
import type { DirectoryNode, FileNode, SymlinkNode, TreeNode } from '../tree/tree.ts';

// 32 MB: if more was changed, the remaining files are listed without patches.
const maxPatchedBytes = 32 * 1024 * 1024;

/** The bytes to compare, by node. */
type Texts = ReadonlyMap<TreeNode, Uint8Array>;

/**
 * Describes what the draft has changed since it began: {@link describeDifference} of its two trees.
 * Git's own files are left out, because there are thousands that nobody can read.
 */
export function describeChanges(
  draft: Draft,
  contents: ContentSource,
  gate: AccessGate,
): Promise<FileChange[]> {
  return describeDifference(draft.start, draft.root, { contents, gate, isLeftOut: isGitOwnPath });
}

/** Where contents are read from, and which ones may be shown. */
export interface DescribeOptions {
  readonly contents: ContentSource;
  readonly gate: AccessGate;
  /** Leaves out a changed path if it returns true. @defaultValue none is left out */
  readonly isLeftOut?: (path: string, isDirectory: boolean) => boolean;
}

/**
 * Returns every difference, ordered by path. A file that was written again with the same bytes
 * isn't listed. A directory is listed only if nothing below it is: a new or removed empty one, or
 * one with a new mode. Files that the gate denies have no patch.
 */
export async function describeDifference(
  before: DirectoryNode,
  after: DirectoryNode,
  { contents, gate, isLeftOut }: DescribeOptions,
): Promise<FileChange[]> {
  const changed = collectPairs(before, after, isLeftOut);
  const texts = await loadContents(changed, contents, gate);
  const differing = changed.filter((each) => !isSame(each, texts));
  return withoutParents(differing).map((each) => describe(each, texts));
}

/**
 * Returns the paths of {@link describeDifference} without reading contents. Files that were written
 * again with the same bytes are included.
 */
export function listDifference(before: DirectoryNode, after: DirectoryNode): string[] {
  return withoutParents(collectPairs(before, after)).map(({ path }) => path);
}

function collectPairs(
  before: DirectoryNode,
  after: DirectoryNode,
  isLeftOut?: DescribeOptions['isLeftOut'],
): NodePair[] {
  const changed: NodePair[] = [];
  diffTrees(before, after, (pair) => {
    if (isSameNode(pair.before, pair.after)) return;
    if (!isLeftOut?.(pair.path, pair.after?.kind === 'directory')) changed.push(pair);
  });
  return changed.sort((left, right) => compareNames(left.path, right.path));
}

/** Leaves out directories if something below them is listed. */
function withoutParents(pairs: readonly NodePair[]): NodePair[] {
  const parents = new Set(pairs.flatMap(({ path }) => ancestorsOf(path)));
  return pairs.filter(
    (each) => isLeaf(each.before) || isLeaf(each.after) || !parents.has(each.path),
  );
}

/** Loads the contents of readable files, up to the limit, and the targets of links. */
async function loadContents(
  changed: readonly NodePair[],
  contents: ContentSource,
  gate: AccessGate,
): Promise<Texts> {
  const loaded = new Map<TreeNode, Uint8Array>();
  const wanted = new Map<TreeNode, number>();
  let left = maxPatchedBytes;
  for (const { path, before, after } of changed) {
    if (!gate.mayRead(path)) continue;
    const size = sizeOf(before) + sizeOf(after);
    if (size > left) continue;
    left -= size;
    for (const node of [before, after]) {
      if (node?.kind === 'symlink') loaded.set(node, new TextEncoder().encode(node.target));
      if (node?.kind !== 'file') continue;
      if (typeof node.content === 'number') wanted.set(node, node.content);
      else loaded.set(node, node.content);
    }
  }
  const read = await contents.readMany([...wanted.values()]);
  [...wanted.keys()].forEach((node, at) => loaded.set(node, read[at] ?? new Uint8Array()));
  return loaded;
}

function describe({ path, before, after }: NodePair, texts: Texts): FileChange {
  const old = isLeaf(before) ? texts.get(before) : null;
  const fresh = isLeaf(after) ? texts.get(after) : null;
  const isComparable = old !== undefined && fresh !== undefined && (old ?? fresh) !== null;
  if (isComparable) return toFileChange(path, old, fresh);
  const type = before ? (after ? 'update' : 'delete') : 'create';
  return { path, type, additions: 0, deletions: 0, structuredPatch: [] };
}

/** True if different nodes have the same content: the bytes were written again. */
function isSame({ before, after }: NodePair, texts: Texts): boolean {
  if (before?.kind !== 'file' || after?.kind !== 'file') return false;
  if (before.mode !== after.mode || before.size !== after.size) return false;
  const [old, fresh] = [texts.get(before), texts.get(after)];
  // A content that isn't loaded counts as different.
  return old !== undefined && fresh !== undefined && isSameBytes(old, fresh);
}

function isLeaf(node: TreeNode | undefined): node is FileNode | SymlinkNode {
  return node !== undefined && node.kind !== 'directory';
}

function sizeOf(node: TreeNode | undefined): number {
  return node?.kind === 'file' ? node.size : 0;
}

function ancestorsOf(path: string): string[] {
  return path === '/' ? [] : [dirname(path), ...ancestorsOf(dirname(path))];
}
