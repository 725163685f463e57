// Compare-and-set: what a change set becomes on the root of now, or the paths that moved on since
// its draft saw them. Pure; the writer calls it for each commit, in order.
import type { Change, ChangeContent, ChangeSet, ContentId } from '../core/change-set.ts';
import { dirname } from '../core/path.ts';
import { applyChange } from './record.ts';
import type { NewContent, RecordedChange } from './record.ts';
import { nodeAt, versionAt } from './tree.ts';
import type { DirectoryNode } from './tree.ts';

/** All of the change set, or none: one conflict is enough, but each is named. */
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
 * A change conflicts when its path's version isn't the one that the draft saw, when its parent is no
 * directory (any more), when it would remove a directory that isn't empty, or replace one.
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
  let result = root;
  for (const change of changeSet.changes) {
    // Versions are those of the root before the change set, also where a path is made anew.
    if (versionAt(root, change.path) !== change.baseVersion || !fits(result, change)) {
      conflicts.add(change.path);
      continue;
    }
    const recorded = toRecorded(change, toContent);
    changes.push(recorded);
    result = applyChange(result, recorded, options.seq);
  }
  if (conflicts.size > 0) return { type: 'conflict', paths: [...conflicts] };
  return { type: 'fits', root: result, changes, contents };
}

/** Does the tree of now still have room for it? Versions alone don't tell what stands beside. */
function fits(root: DirectoryNode, change: Change): boolean {
  if (nodeAt(root, dirname(change.path))?.kind !== 'directory') return false;
  const node = nodeAt(root, change.path);
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
      return { type: change.type, path: change.path };
  }
}
