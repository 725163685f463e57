// Rebases a change set onto a root that has advanced. Changes of both sides are merged if no person
// has to decide. The writer calls it before it plans a commit with `merge`, and for branches.
import type { Change, ChangeContent, ChangeSet } from '../../core/change-set.ts';
import { hasCode } from '../../core/errors.ts';
import { isSameBytes } from '../../core/bytes/same-bytes.ts';
import { readContent, type ContentSource } from '../state/content-source.ts';
import { isSameNode } from '../tree/same-node.ts';
import { mergeFile } from '../../text/merge-file.ts';
import { nodeAt, type DirectoryNode, type FileNode, type TreeNode } from '../tree/tree.ts';

/** The sources of contents, and the tree that the change set was based on. */
export interface MergeOptions {
  readonly contents: ContentSource;
  /** The tree on which the changes were made. Left out: each change's `base` is used. */
  readonly base?: DirectoryNode;
}

export type WriteChange = Extract<Change, { readonly type: 'write' }>;

// 8 MB: a larger file isn't text that people wrote, and three versions would be in memory at once.
const maxMergedBytes = 8_388_608;

/**
 * Rebases the change set onto `root`. A change of an unchanged path stays as it is. A change that
 * the other side made as well is left out. A file that both sides changed gets the merged text and
 * mode. Other changes stay, and `planCommit` reports them as conflicts.
 */
export async function mergeChangeSet(
  root: DirectoryNode,
  changeSet: ChangeSet,
  options: MergeOptions,
): Promise<ChangeSet> {
  const changes: Change[] = [];
  const makings = new Map<string, Change>();
  for (const change of changeSet.changes) {
    if (change.type !== 'remove') makings.set(change.path, change);
  }
  for (const change of changeSet.changes) {
    const theirs = nodeAt(root, change.path);
    if (change.type === 'remove' && change.recursive) {
      // A removal can't be merged with changes below the removed path. `planCommit` looks for
      // those.
      if (theirs) changes.push(change);
      continue;
    }
    if ((theirs?.version ?? 0) === change.baseVersion) {
      changes.push(change);
      continue;
    }
    let merged = await mergeChange(change, theirs, options);
    const making = makings.get(change.path);
    // The removal made room for a new node, so the two are merged together.
    if (!merged && making && (await mergeChange(making, theirs, options)) === 'done') {
      merged = 'done';
    }
    if (merged !== 'done') changes.push(merged ?? change);
  }
  return { ...changeSet, changes };
}

/** Returns undefined for a conflict, and `done` if the other side has made the same change. */
async function mergeChange(
  change: Change,
  theirs: TreeNode | undefined,
  options: MergeOptions,
): Promise<Change | 'done' | undefined> {
  if (isDone(change, theirs)) return 'done';
  const base = baseOf(change, options);
  // The version differs but the node doesn't: it was written again, or this change was merged
  // before.
  if (base && isSameNode(base, theirs)) return { ...change, baseVersion: theirs?.version ?? 0 };
  if (change.type !== 'write' || theirs?.kind !== 'file') return undefined;
  return mergeWrite(change, { base: base?.kind === 'file' ? base : undefined, theirs }, options);
}

/**
 * True if both sides have made the same change. {@link mergeWrite} compares the contents of files.
 */
function isDone(change: Change, theirs: TreeNode | undefined): boolean {
  switch (change.type) {
    case 'remove':
      return theirs === undefined;
    case 'mkdir':
      return theirs?.kind === 'directory' && theirs.mode === change.mode;
    case 'symlink':
      return theirs?.kind === 'symlink' && theirs.target === change.target;
    case 'write':
      return false;
  }
}

/** Returns the node's fields that {@link isSameNode} compares. */
function baseOf(change: Change, { base }: MergeOptions): TreeNode | undefined {
  if (base) return nodeAt(base, change.path);
  if (change.type !== 'write' || !change.base) return undefined;
  const { contentId, mode } = change.base;
  return {
    kind: 'file',
    content: contentId,
    mode,
    size: 0,
    mtimeMs: 0,
    version: change.baseVersion,
  };
}

async function mergeWrite(
  change: WriteChange,
  { base, theirs }: { readonly base: FileNode | undefined; readonly theirs: FileNode },
  { contents }: MergeOptions,
): Promise<Change | 'done' | undefined> {
  const mode = mergeModes(base?.mode, change.mode, theirs.mode);
  if (mode === undefined) return undefined;
  const content = await mergeContents(change.content, { base, theirs }, contents);
  if (content === undefined) return undefined;
  if (content === 'theirs' && mode === theirs.mode) return 'done';
  return {
    ...change,
    mode,
    content: content === 'theirs' ? toChangeContent(theirs) : content,
    baseVersion: theirs.version,
    mtimeMs: Math.max(change.mtimeMs, theirs.mtimeMs),
  };
}

function mergeModes(base: number | undefined, ours: number, theirs: number): number | undefined {
  if (ours === theirs || theirs === base) return ours;
  return ours === base ? theirs : undefined;
}

async function mergeContents(
  ours: ChangeContent,
  { base, theirs }: { readonly base: FileNode | undefined; readonly theirs: FileNode },
  contents: ContentSource,
): Promise<ChangeContent | 'theirs' | undefined> {
  const ourId = ours instanceof Uint8Array ? undefined : ours.contentId;
  if (ourId !== undefined && ourId === theirs.content) return 'theirs';
  if (base && base.content === theirs.content) return ours;
  if (base && base.content === ourId) return 'theirs';
  if (theirs.size > maxMergedBytes) return undefined;
  const [our, their] = await Promise.all([
    ours instanceof Uint8Array ? ours : readContent(contents, ours.contentId),
    readContent(contents, theirs.content),
  ]);
  if (isSameBytes(our, their)) return 'theirs';
  if (!base || our.length > maxMergedBytes) return undefined;
  const old = await loadBase(base, contents);
  const merged = old && mergeFile(old, our, their);
  if (merged?.type !== 'clean') return undefined;
  return isSameBytes(merged.bytes, their) ? 'theirs' : merged.bytes;
}

/** Undefined if compaction has removed the overwritten content. Merging isn't possible then. */
async function loadBase(base: FileNode, contents: ContentSource): Promise<Uint8Array | undefined> {
  try {
    return await readContent(contents, base.content);
  } catch (error) {
    const isGone = hasCode(error, 'ECONFLICT', 'invalid-input');
    if (isGone) return undefined;
    throw error;
  }
}

function toChangeContent({ content }: FileNode): ChangeContent {
  return typeof content === 'number' ? { contentId: content } : content;
}
