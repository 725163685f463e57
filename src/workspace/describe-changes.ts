// What a draft changed, for people: each path as it stood against as it stands, with a patch. For
// tools whose calls change files that nobody can name beforehand.
import type { FileChange } from '../core/change-set.ts';
import { dirname } from '../core/path.ts';
import type { AccessGate } from './access.ts';
import type { ContentSource } from './content-source.ts';
import type { Draft } from './draft.ts';
import { compareNames } from './path-order.ts';
import { toFileChange } from './text/patch.ts';
import { nodeAt, type FileNode, type SymlinkNode, type TreeNode } from './tree.ts';

// Patches are for people. Of a draft that changes more than this, the rest is listed without them.
const maxPatchedBytes = 32 * 1024 * 1024;

/** A path that differs: what stood there, and what stands there now. */
interface ChangedPath {
  readonly path: string;
  readonly before: TreeNode | undefined;
  readonly after: TreeNode | undefined;
}

/** What there is to compare, by node. */
type Texts = ReadonlyMap<TreeNode, Uint8Array>;

/**
 * All that differs, in the order of the paths. What was written and put back is no change. A
 * directory is listed where nothing below it is: an empty one that comes or goes, a new mode. No
 * patch shows what `gate` doesn't let the call read.
 */
export async function describeChanges(
  draft: Draft,
  contents: ContentSource,
  gate: AccessGate,
): Promise<FileChange[]> {
  const changed = listChangedPaths(draft);
  const texts = await loadContents(changed, contents, gate);
  const differing = changed.filter((each) => !isSame(each, texts));
  const parents = new Set(differing.flatMap(({ path }) => ancestorsOf(path)));
  return differing
    .filter((each) => isLeaf(each.before) || isLeaf(each.after) || !parents.has(each.path))
    .map((each) => describe(each, texts));
}

function listChangedPaths(draft: Draft): ChangedPath[] {
  // A file in a directory's place is a removal and a making of one path.
  const paths = new Set(draft.changeSet()?.changes.map(({ path }) => path));
  return [...paths].sort(compareNames).map((path) => ({
    path,
    before: nodeAt(draft.base, path),
    after: nodeAt(draft.root, path),
  }));
}

/** Files that may be read, up to the cap; links' targets. */
async function loadContents(
  changed: readonly ChangedPath[],
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

function describe({ path, before, after }: ChangedPath, texts: Texts): FileChange {
  const old = isLeaf(before) ? texts.get(before) : null;
  const fresh = isLeaf(after) ? texts.get(after) : null;
  const isComparable = old !== undefined && fresh !== undefined && (old ?? fresh) !== null;
  if (isComparable) return toFileChange(path, old, fresh);
  const type = before ? (after ? 'update' : 'delete') : 'create';
  return { path, type, additions: 0, deletions: 0, structuredPatch: [] };
}

function isSame({ before, after }: ChangedPath, texts: Texts): boolean {
  if (before?.kind !== after?.kind) return false;
  if (before?.kind === 'symlink' && after?.kind === 'symlink')
    return before.target === after.target;
  if (before?.kind === 'directory' && after?.kind === 'directory')
    return before.mode === after.mode;
  if (before?.kind !== 'file' || after?.kind !== 'file') return true;
  if (before.mode !== after.mode || before.size !== after.size) return false;
  if (before.content === after.content) return true;
  const [old, fresh] = [texts.get(before), texts.get(after)];
  // Not loaded: written, at least.
  return old !== undefined && fresh !== undefined && old.every((byte, at) => byte === fresh[at]);
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
