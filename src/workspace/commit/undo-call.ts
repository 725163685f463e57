// Computes how to undo a call's changes. Each file returns to its earlier state, or is merged if it
// was changed since. writer-history.ts commits the result.
import { dirname } from '../../core/path.ts';
import { isSameBytes } from '../../core/bytes/same-bytes.ts';
import { mergeFile } from '../../text/merge-file.ts';
import type { ContentSource } from '../state/content-source.ts';
import type { ChangedFile } from '../state/file-history.ts';
import type { FileVersion } from '../state/workspace-history.ts';
import { emptyRoot, nodeAt, withNode, type DirectoryNode, type TreeNode } from '../tree/tree.ts';

/** What the undo changes. */
export interface UndoPlan {
  /**
   * The root without the call's changes. Files that were changed since are merged; those in
   * `conflicts` are unchanged.
   */
  readonly planned: DirectoryNode;
  /** Paths that are neither as the call left them nor as before the call, in order. */
  readonly moved: readonly string[];
  /** The paths that can't be merged. */
  readonly conflicts: readonly string[];
}

/** The state in which the call's files are. */
export interface UndoGround {
  readonly root: DirectoryNode;
  readonly contents: ContentSource;
  /** Milliseconds since the epoch: the modification time of written files. */
  readonly mtimeMs: number;
}

// 8 MB, as for every merge: a larger file isn't text that people wrote.
const maxMergedBytes = 8_388_608;

/** Rejects if reading contents rejects. */
export async function planUndo(
  files: readonly ChangedFile[],
  ground: UndoGround,
): Promise<UndoPlan> {
  const moved: string[] = [];
  const conflicts: string[] = [];
  const targets: Target[] = [];
  for (const file of files) {
    const node = nodeAt(ground.root, file.path);
    const hasMoved = !(await isLike(node, file.after, ground.contents));
    if (hasMoved && (await isLike(node, file.before, ground.contents))) continue;
    if (hasMoved) moved.push(file.path);
    const target = hasMoved
      ? await mergeVersions(file, node, ground.contents)
      : { path: file.path, version: file.before };
    if (target && isRoomFor(target, ground.root)) targets.push(target);
    else {
      conflicts.push(file.path);
      if (!hasMoved) moved.push(file.path);
    }
  }
  return { planned: withTargets(targets, ground), moved, conflicts };
}

/** The target state of a path: null for no file, bytes for a merged text. */
interface Target {
  readonly path: string;
  readonly version: FileVersion | null;
  readonly bytes?: Uint8Array;
}

/**
 * True if the node has the same content, whatever its content id is now. A directory never matches.
 */
async function isLike(
  node: TreeNode | undefined,
  version: FileVersion | null,
  contents: ContentSource,
): Promise<boolean> {
  if (!node || !version) return node === undefined && version === null;
  if (node.kind === 'symlink') return version.kind === 'symlink' && node.target === version.target;
  if (node.kind !== 'file' || version.kind !== 'file') return false;
  if (node.mode !== version.mode || node.size !== version.size) return false;
  if (node.content === version.contentId) return true;
  const [now, then] = await readBoth(contents, node.content, version.contentId);
  return isSameBytes(now, then);
}

/** Returns undefined if the file isn't text, or if the same lines were changed since. */
async function mergeVersions(
  { path, before, after }: ChangedFile,
  node: TreeNode | undefined,
  contents: ContentSource,
): Promise<Target | undefined> {
  if (before?.kind !== 'file' || after?.kind !== 'file' || node?.kind !== 'file') return undefined;
  if ([before, after, node].some(({ size }) => size > maxMergedBytes)) return undefined;
  const [old, mine] = await readBoth(contents, after.contentId, before.contentId);
  const [theirs] = await readBoth(contents, node.content, after.contentId);
  const merged = mergeFile(old, mine, theirs);
  if (merged.type === 'conflict') return undefined;
  // Later changes are kept, including those of the mode.
  const mode = node.mode === after.mode ? before.mode : node.mode;
  return { path, version: { ...before, mode }, bytes: merged.bytes };
}

async function readBoth(
  contents: ContentSource,
  one: Uint8Array | number,
  other: number,
): Promise<[Uint8Array, Uint8Array]> {
  // A committed tree only has content ids.
  if (typeof one !== 'number') throw new TypeError('A committed file without a content.');
  const [first, second] = await contents.readMany([one, other]);
  if (first && second) return [first, second];
  throw new TypeError('A ContentSource answered with fewer contents than were asked for.');
}

/** True if there is no directory at the path, and only directories above it. */
function isRoomFor({ path, version }: Target, root: DirectoryNode): boolean {
  if (!version) return true;
  if (nodeAt(root, path)?.kind === 'directory') return false;
  for (let above = dirname(path); above !== '/'; above = dirname(above)) {
    const node = nodeAt(root, above);
    if (node) return node.kind === 'directory';
  }
  return true;
}

/** Returns the root with the targets, and with the directories that they need. */
function withTargets(targets: readonly Target[], { root, mtimeMs }: UndoGround): DirectoryNode {
  let planned = root;
  for (const { path, version, bytes } of targets) {
    if (version) planned = withDirectory(planned, dirname(path), mtimeMs);
    planned = withNode(planned, path, version ? toNode(version, bytes, mtimeMs) : undefined);
  }
  return planned;
}

function withDirectory(root: DirectoryNode, path: string, mtimeMs: number): DirectoryNode {
  if (nodeAt(root, path)) return root;
  const above = withDirectory(root, dirname(path), mtimeMs);
  return withNode(above, path, { ...emptyRoot, mtimeMs });
}

function toNode(version: FileVersion, bytes: Uint8Array | undefined, mtimeMs: number): TreeNode {
  if (version.kind === 'symlink') return { ...version, mtimeMs, version: 0 };
  const { contentId, size, mode } = version;
  const held = { content: bytes ?? contentId, size: bytes?.length ?? size };
  return { kind: 'file', ...held, mode, mtimeMs, version: 0 };
}
