// Compare-and-set: applies a change set to the present root, or names the paths that have changed
// since the draft's base. Pure; the writer calls it for each commit, in order.
import type { Change, ChangeContent, ChangeSet, ContentId } from '../../core/change-set.ts';
import { applyChange } from '../state/record.ts';
import type { NewContent, RecordedChange } from '../state/record.ts';
import { TreeEditor } from '../tree/tree-editor.ts';
import { subtreeVersion, visitTree, type DirectoryNode, type TreeNode } from '../tree/tree.ts';

/** All of the change set or none. One conflict refuses it, and every conflict is named. */
export type CommitPlan =
  | {
      readonly type: 'fits';
      readonly root: DirectoryNode;
      readonly changes: readonly RecordedChange[];
      readonly contents: readonly NewContent[];
    }
  | { readonly type: 'conflict'; readonly paths: readonly string[] };

/** The record's number, and what the log holds already. */
export interface CommitPlanOptions {
  readonly seq: number;
  /** The first free content id. The plan takes as many as it has new contents. */
  readonly nextContentId: ContentId;
  /** The size of a content that is there already. Throws for one that isn't. */
  sizeOf(contentId: ContentId): number;
}

/**
 * A change conflicts when its path's version isn't the one that the draft saw. It conflicts when
 * its parent is no directory (any more), or another directory than the draft saw. It conflicts when
 * it would remove a directory that isn't empty, or replace one. Removing a directory with
 * everything below conflicts when something there was made or changed since; each such path is
 * named. Paths below that another commit removed are no conflict.
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
        : // Versions are those of the root before the change set, also where a path is made anew.
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

/** Nodes that the change set itself made there are newer too. */
function isUnchangedBelow(node: TreeNode | undefined, { baseVersion }: Change): boolean {
  return node?.kind === 'directory' && subtreeVersion(node) <= baseVersion;
}

function addMoved(conflicts: Set<string>, node: TreeNode | undefined, change: Change): void {
  if (node?.kind !== 'directory') return;
  visitTree(change.path, node, (path, { version }) => {
    if (version > change.baseVersion) conflicts.add(path);
  });
}

/** Does it fit beside the nodes of the present tree? Versions alone don't tell. */
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
