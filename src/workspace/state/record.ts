// A record: one acknowledged change set, as the log stores it and replicas apply it. It is
// validated and numbered, and leaves nothing to decide. The request for one is core's ChangeSet.
import type { ContentId, Version } from '../../core/change-set.ts';
import { sessionOfRoot, toSessionDirectory } from '../../core/session/session-path.ts';
import { PersistentMap } from '../tree/persistent-map.ts';
import { TreeEditor } from '../tree/tree-editor.ts';
import type { DirectoryNode, TreeNode } from '../tree/tree.ts';
import type { ChangeAuthor, PathChange } from '../workspace.ts';
import type { StreamChange } from './stream-state.ts';

/** A change as it was applied: contents by id, without base versions. */
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
  /**
   * A directory is removed with everything in it. With `recursive`, the record doesn't list its
   * entries.
   */
  | { readonly type: 'remove'; readonly path: string; readonly recursive?: true };

/**
 * What a commit does to roots, in addition to its changes. `merge` and `rewind` are requested
 * without changes, which prepare-group.ts computes at the commit's turn.
 */
export type RootChange =
  /** Creates a checkpoint or branch of another root's current state. */
  | {
      readonly type: 'make';
      readonly id: string;
      readonly kind: 'checkpoint' | 'branch';
      readonly label: string;
      readonly createdMs: number;
      /** The id of the source root. */
      readonly from: string;
    }
  /** Creates an empty root for a session's own files. It isn't a copy of another root. */
  | { readonly type: 'make-session'; readonly id: string; readonly createdMs: number }
  | { readonly type: 'drop'; readonly id: string }
  /**
   * Applies what the branch has changed at these paths and below to the commit's root. The branch's
   * base then includes it.
   */
  | { readonly type: 'merge'; readonly id: string; readonly paths: readonly string[] }
  /** Resets `main` to the checkpoint at these paths and below. */
  | {
      readonly type: 'rewind';
      readonly id: string;
      /** The id, label and time of a new checkpoint of `main` before the rewind. */
      readonly undo: string;
      readonly label: string;
      readonly createdMs: number;
      readonly paths: readonly string[];
      /** Keeps what a person has changed since the checkpoint. */
      readonly keep?: 'user' | undefined;
    };

/**
 * The client of a commit and its own ascending number for it. A client that got no answer sends the
 * commit again, and it is applied once.
 */
export interface CommitOrigin {
  readonly client: string;
  readonly number: number;
}

/** One commit. Numbers begin at 1 and have no gaps. */
export interface WorkspaceRecord {
  readonly seq: number;
  readonly author: ChangeAuthor;
  /** The id of the changed root. Left out for `main`. */
  readonly root?: string;
  readonly changes: readonly RecordedChange[];
  /**
   * Applied after the changes, except for a rewind's checkpoint, which has the state before them.
   */
  readonly rootChange?: RootChange;
  /** What is appended to a stream in the same record. */
  readonly stream?: StreamChange;
  readonly origin?: CommitOrigin;
}

/** New bytes that a record brings into the workspace. */
export interface NewContent {
  readonly contentId: ContentId;
  readonly bytes: Uint8Array;
}

/**
 * Applies one change. `version` is the record's number, so a path's version is that of its last
 * change. @throws TypeError if it doesn't fit: the log is damaged, or there is a bug
 */
export function applyChange(tree: TreeEditor, change: RecordedChange, version: Version): void {
  tree.put(change.path, toNode(tree, change, version));
}

/** An existing directory keeps its entries: only its attributes change. */
function toNode(tree: TreeEditor, change: RecordedChange, version: Version): TreeNode | undefined {
  switch (change.type) {
    case 'write': {
      const { contentId, size, mode, mtimeMs } = change;
      return { kind: 'file', content: contentId, size, mode, mtimeMs, version };
    }
    case 'mkdir': {
      const { path, mode, mtimeMs } = change;
      const current = tree.get(path);
      const entries =
        current?.kind === 'directory' ? current.entries : PersistentMap.empty<TreeNode>();
      return { kind: 'directory', entries, mode, mtimeMs, version };
    }
    case 'symlink':
      return { kind: 'symlink', target: change.target, mtimeMs: change.mtimeMs, version };
    case 'remove':
      return undefined;
    default:
      // An unknown change must throw. If it returned nothing, the path would be removed.
      throw new TypeError(`Unknown change: ${JSON.stringify(change satisfies never)}`);
  }
}

const kindOf = { write: 'file', mkdir: 'directory', symlink: 'symlink' } as const;

/**
 * Returns what a record did, one change for each path. `before` is the root to which it was
 * applied.
 */
export function toPathChanges(before: DirectoryNode, record: WorkspaceRecord): PathChange[] {
  const tree = new TreeEditor(before);
  const changes = new Map<string, PathChange>();
  for (const change of record.changes) {
    const { path } = change;
    const old = tree.get(path);
    if (change.type === 'remove') {
      const kind = old?.kind ?? 'file';
      // A recursive removal reports everything below, even if something new is at the path. So it
      // has a key of its own.
      const key = change.recursive ? `${path}/` : path;
      changes.set(key, { path, type: 'delete', kind, version: record.seq });
      if (change.recursive) tree.put(path, undefined);
    } else {
      const type = old ? 'update' : 'create';
      changes.set(path, { path, type, kind: kindOf[change.type], version: record.seq });
    }
  }
  const session = toSessionChange(record);
  return session ? [...changes.values(), session] : [...changes.values()];
}

/** A session's files appear and disappear as a directory that every view shows. */
function toSessionChange({ rootChange, seq }: WorkspaceRecord): PathChange | undefined {
  if (rootChange?.type !== 'make-session' && rootChange?.type !== 'drop') return undefined;
  const session = sessionOfRoot(rootChange.id);
  if (session === undefined) return undefined;
  const type = rootChange.type === 'drop' ? 'delete' : 'create';
  return { path: toSessionDirectory(session), type, kind: 'directory', version: seq };
}
