// A commit may refer to a content that no root holds any more: a draft copied a file, and the file
// was then overwritten. Images and replicas only know the contents of roots. So the commit must
// include the bytes of such a dead content as new ones.
import type { Change, ChangeSet, ContentId } from '../../core/change-set.ts';
import { readContent, type ContentSource } from '../state/content-source.ts';
import type { LiveContentIds } from './live-content-ids.ts';
import type { WorkspaceState } from '../state/state.ts';
import { nodeAt, type DirectoryNode, type TreeNode } from '../tree/tree.ts';

/**
 * True if the change set may refer to contents that no root holds. Contents at its own paths are
 * live, because a rename or a change of attributes needs them.
 */
export function mayHaveDeadContents(
  root: DirectoryNode,
  { changes }: ChangeSet,
  liveIds: LiveContentIds,
): boolean {
  const doubtful = changes.filter((change) => {
    const contentId = contentIdOf(change);
    return contentId !== undefined && !liveIds.has(contentId);
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

/**
 * Returns the change set with bytes in place of dead contents. Rejects as `contents` does: with
 * `ECONFLICT` if compaction has removed the bytes.
 */
export async function materializeContents(
  changeSet: ChangeSet,
  state: WorkspaceState,
  { liveIds, contents }: { readonly liveIds: LiveContentIds; readonly contents: ContentSource },
): Promise<ChangeSet> {
  const now = liveIds.collect(state);
  const changes: Change[] = [];
  for (const change of changeSet.changes) {
    const contentId = contentIdOf(change);
    if (change.type !== 'write' || contentId === undefined || now.has(contentId)) {
      changes.push(change);
      continue;
    }
    changes.push({ ...change, content: await readContent(contents, contentId) });
  }
  return { ...changeSet, changes };
}

function contentIdOf(change: Change): ContentId | undefined {
  if (change.type !== 'write' || change.content instanceof Uint8Array) return undefined;
  return change.content.contentId;
}

/** Visits the contents of a node and of everything below it, in no particular order. */
function visitContents(node: TreeNode | undefined, visit: (contentId: ContentId) => void): void {
  if (node?.kind === 'file') {
    if (typeof node.content === 'number') visit(node.content);
  } else if (node?.kind === 'directory') {
    node.entries.forEach((_name, child) => visitContents(child, visit));
  }
}
