// Compare-and-set: applies a change set to the current root, or returns the paths that have changed
// since the draft's base. A pure function that the writer calls for each commit, in order.
import type { Change, ChangeContent, ChangeSet, ContentId } from '../../core/change-set.ts';
import { applyChange } from '../state/record.ts';
import type { NewContent, RecordedChange } from '../state/record.ts';
import { TreeEditor } from '../tree/tree-editor.ts';
import { subtreeVersion, visitTree, type DirectoryNode, type TreeNode } from '../tree/tree.ts';

/** A commit applies as a whole or not at all. A refusal names every conflict. */
export type CommitPlan =
  | {
      readonly type: 'fits';
      readonly root: DirectoryNode;
      readonly changes: readonly RecordedChange[];
      readonly contents: readonly NewContent[];
    }
  | { readonly type: 'conflict'; readonly paths: readonly string[] };

/** The number of the record, and the contents that the log has. */
export interface CommitPlanOptions {
  readonly seq: number;
  /** The first free content id. One id is used for each new content. */
  readonly nextContentId: ContentId;
  /** Returns the size of an existing content. Throws if there is no such content. */
  sizeOf(contentId: ContentId): number;
}

/**
 * Plans a commit. A change conflicts in these cases: its path's version differs from the one that
 * the draft saw. Its parent isn't a directory, or isn't the same directory. It would remove or
 * replace a directory that isn't empty. Removing a whole directory conflicts with each path below
 * it that was created or changed since; paths that others removed don't conflict.
 */
export function planCommit(
  root: DirectoryNode,
  changeSet: ChangeSet,
  options: CommitPlanOptions,
): CommitPlan {
  const changes: RecordedChange[] = [];
  const contents: NewContent[] = [];
  const conflicts = new Set<string>();
  const toContent = (content: ChangeContent) => {
    if (!(content instanceof Uint8Array)) {
      return { contentId: content.contentId, size: options.sizeOf(content.contentId) };
    }
    const contentId = options.nextContentId + contents.length;
    contents.push({ contentId, bytes: content });
    return { contentId, size: content.length };
  };
  const before = new TreeEditor(root);
  const tree = new TreeEditor(root);
  for (const change of changeSet.changes) {
    const node = tree.get(change.path);
    const isFitting =
      change.type === 'remove' && change.recursive
        ? isUnchangedBelow(node, change)
        : // Versions are those of the root before the change set, even if the set creates the path
          // again.
          (before.get(change.path)?.version ?? 0) === change.baseVersion &&
          hasSameParent(before, change) &&
          tree.hasParent(change.path) &&
          fits(node, change);
    if (isFitting) {
      const recorded = toRecorded(change, toContent);
      changes.push(recorded);
      applyChange(tree, recorded, options.seq);
    } else {
      conflicts.add(change.path);
      if (change.type === 'remove' && change.recursive) addMoved(conflicts, node, change);
    }
  }
  if (conflicts.size > 0) return { type: 'conflict', paths: [...conflicts] };
  return { type: 'fits', root: tree.root, changes, contents };
}

function hasSameParent(before: TreeEditor, change: Change): boolean {
  if (change.type === 'remove' || change.parentVersion === undefined) return true;
  return before.parentVersion(change.path) === change.parentVersion;
}

/** Nodes that this change set has created are newer as well. */
function isUnchangedBelow(node: TreeNode | undefined, { baseVersion }: Change): boolean {
  return node?.kind === 'directory' && subtreeVersion(node) <= baseVersion;
}

function addMoved(conflicts: Set<string>, node: TreeNode | undefined, change: Change): void {
  if (node?.kind !== 'directory') return;
  visitTree(change.path, node, (path, { version }) => {
    if (version > change.baseVersion) conflicts.add(path);
  });
}

/** True if the change fits the nodes of the current tree. Versions alone don't tell. */
function fits(node: TreeNode | undefined, change: Change): boolean {
  switch (change.type) {
    case 'remove':
      return node !== undefined && (node.kind !== 'directory' || node.entries.size === 0);
    case 'mkdir':
      return node === undefined || node.kind === 'directory';
    case 'write':
    case 'symlink':
      return node?.kind !== 'directory';
  }
}

function toRecorded(
  change: Change,
  toContent: (content: ChangeContent) => { contentId: ContentId; size: number },
): RecordedChange {
  switch (change.type) {
    case 'write': {
      const { type, path, mode, mtimeMs } = change;
      return { type, path, ...toContent(change.content), mode, mtimeMs };
    }
    case 'mkdir': {
      const { type, path, mode, mtimeMs } = change;
      return { type, path, mode, mtimeMs };
    }
    case 'symlink': {
      const { type, path, target, mtimeMs } = change;
      return { type, path, target, mtimeMs };
    }
    case 'remove':
      return { type: change.type, path: change.path, ...(change.recursive && { recursive: true }) };
  }
}
