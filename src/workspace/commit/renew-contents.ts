// Stores again a content that a commit refers to and that no root holds any more. This happens when
// a draft copied a file that was then overwritten. Images and replicas know only the contents of
// roots, so the commit carries the bytes as if they were new.
import type { Change, ChangeSet, ContentId } from '../../core/change-set.ts';
import type { ContentSource } from '../state/content-source.ts';
import type { HeldContents } from './held-contents.ts';
import type { WorkspaceState } from '../state/state.ts';
import { nodeAt, type DirectoryNode, type TreeNode } from '../tree/tree.ts';

/**
 * Could the change set refer to contents that no root holds? Contents at its own paths count as
 * held, as a rename or a change of attributes needs them.
 */
export function needsRenewing(
  root: DirectoryNode,
  { changes }: ChangeSet,
  held: HeldContents,
): boolean {
  const doubtful = changes.filter((change) => {
    const contentId = contentIdOf(change);
    return contentId !== undefined && !held.has(contentId);
  });
  if (doubtful.length === 0) return false;
  const removed = new Set<ContentId>();
  for (const { type, path } of changes) {
    if (type === 'remove') visitContents(nodeAt(root, path), (contentId) => removed.add(contentId));
  }
  return doubtful.some((change) => {
    const contentId = contentIdOf(change);
    if (contentId !== undefined && removed.has(contentId)) return false;
    const node = nodeAt(root, change.path);
    return node?.kind !== 'file' || node.content !== contentId;
  });
}

/** Rejects as `contents` does: with `ECONFLICT` where compaction has removed the bytes by now. */
export async function renewContents(
  changeSet: ChangeSet,
  state: WorkspaceState,
  { held, contents }: { readonly held: HeldContents; readonly contents: ContentSource },
): Promise<ChangeSet> {
  const now = held.look(state);
  const changes: Change[] = [];
  for (const change of changeSet.changes) {
    const contentId = contentIdOf(change);
    if (change.type !== 'write' || contentId === undefined || now.has(contentId)) {
      changes.push(change);
      continue;
    }
    const [content] = await contents.readMany([contentId]);
    if (!content) throw new TypeError('A content that was read has bytes.');
    changes.push({ ...change, content });
  }
  return { ...changeSet, changes };
}

function contentIdOf(change: Change): ContentId | undefined {
  if (change.type !== 'write' || change.content instanceof Uint8Array) return undefined;
  return change.content.contentId;
}

/** Visits the contents of a node and of all below it, in no order. */
function visitContents(node: TreeNode | undefined, visit: (contentId: ContentId) => void): void {
  if (node?.kind === 'file') {
    if (typeof node.content === 'number') visit(node.content);
  } else if (node?.kind === 'directory') {
    node.entries.forEach((_name, child) => visitContents(child, visit));
  }
}
