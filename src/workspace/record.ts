// One acknowledged change set as the log keeps it and replicas apply it: checked, numbered, without
// anything left to decide. The inverse direction, what asks to become one, is core's ChangeSet.
import type { ContentId, Version } from '../core/change-set.ts';
import { PersistentMap } from './persistent-map.ts';
import { nodeAt, withNode } from './tree.ts';
import type { DirectoryNode, TreeNode } from './tree.ts';
import type { ChangeAuthor, PathChange } from './workspace.ts';

/** A change as it was carried out: contents by number, no base version any more. */
export type RecordedChange =
  | {
      readonly type: 'write';
      readonly path: string;
      readonly contentId: ContentId;
      readonly size: number;
      readonly mode: number;
      readonly mtimeMs: number;
    }
  | {
      readonly type: 'mkdir';
      readonly path: string;
      readonly mode: number;
      readonly mtimeMs: number;
    }
  | {
      readonly type: 'symlink';
      readonly path: string;
      readonly target: string;
      readonly mtimeMs: number;
    }
  | { readonly type: 'remove'; readonly path: string };

/** Makes a checkpoint or a branch of another root as it is then, or drops one. */
export type RootChange =
  | {
      readonly type: 'make';
      readonly id: string;
      readonly kind: 'checkpoint' | 'branch';
      readonly label: string;
      readonly createdMs: number;
      /** The id of the root that it is made from. */
      readonly from: string;
    }
  | { readonly type: 'drop'; readonly id: string };

/**
 * Who asked for a commit, and which one of its it is, counted upwards: a client that isn't answered
 * sends it again, and it is applied once.
 */
export interface CommitOrigin {
  readonly client: string;
  readonly number: number;
}

/** One commit. Numbers begin at 1 and have no gap. */
export interface WorkspaceRecord {
  readonly seq: number;
  readonly author: ChangeAuthor;
  /** The id of the root that it changes; left out for `main`. */
  readonly root?: string;
  readonly changes: readonly RecordedChange[];
  /** Carried out after the changes. */
  readonly rootChange?: RootChange;
  readonly origin?: CommitOrigin;
}

/** Bytes that a record brought into the workspace. */
export interface NewContent {
  readonly contentId: ContentId;
  readonly bytes: Uint8Array;
}

/**
 * The root after one change. `version` is the record's number: so a path's version is that of its
 * last change. What doesn't fit is a damaged log or a programmer's mistake: it throws a TypeError.
 */
export function applyChange(
  root: DirectoryNode,
  change: RecordedChange,
  version: Version,
): DirectoryNode {
  return withNode(root, change.path, toNode(change, version, nodeAt(root, change.path)));
}

/** A directory that stands already keeps its entries: the change is one of its attributes. */
function toNode(
  change: RecordedChange,
  version: Version,
  current: TreeNode | undefined,
): TreeNode | undefined {
  switch (change.type) {
    case 'write': {
      const { contentId, size, mode, mtimeMs } = change;
      return { kind: 'file', content: contentId, size, mode, mtimeMs, version };
    }
    case 'mkdir': {
      const { mode, mtimeMs } = change;
      const entries =
        current?.kind === 'directory' ? current.entries : PersistentMap.empty<TreeNode>();
      return { kind: 'directory', entries, mode, mtimeMs, version };
    }
    case 'symlink':
      return { kind: 'symlink', target: change.target, mtimeMs: change.mtimeMs, version };
    case 'remove':
      return undefined;
  }
}

const kindOf = { write: 'file', mkdir: 'directory', symlink: 'symlink' } as const;

/** What a record did, path by path, for listeners. `before` is the root that it was applied to. */
export function toPathChanges(before: DirectoryNode, record: WorkspaceRecord): PathChange[] {
  const changes = new Map<string, PathChange>();
  for (const change of record.changes) {
    const { path } = change;
    const old = nodeAt(before, path);
    if (change.type === 'remove') {
      const kind = old?.kind ?? 'file';
      changes.set(path, { path, type: 'delete', kind, version: record.seq });
    } else {
      const type = old ? 'update' : 'create';
      changes.set(path, { path, type, kind: kindOf[change.type], version: record.seq });
    }
  }
  return [...changes.values()];
}
