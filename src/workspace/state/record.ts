// A record: one acknowledged change set, as the log keeps it and replicas apply it. It is checked
// and numbered, and leaves nothing to decide. A request to become one is core's ChangeSet.
import type { ContentId, Version } from '../../core/change-set.ts';
import { sessionOfRoot, toSessionDirectory } from '../../core/session/session-path.ts';
import { PersistentMap } from '../tree/persistent-map.ts';
import { TreeEditor } from '../tree/tree-editor.ts';
import type { DirectoryNode, TreeNode } from '../tree/tree.ts';
import type { ChangeAuthor, PathChange } from '../workspace.ts';
import type { StreamChange } from './stream-state.ts';

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
  /**
   * A directory is removed with everything in it. `recursive` says that the record doesn't list
   * that.
   */
  | { readonly type: 'remove'; readonly path: string; readonly recursive?: true };

/**
 * What a commit does to the roots, in addition to its changes. `merge` and `rewind` are requested
 * without changes. prepare-group.ts works them out when the commit's turn comes.
 */
export type RootChange =
  /** Makes a checkpoint or a branch of another root as it is then. */
  | {
      readonly type: 'make';
      readonly id: string;
      readonly kind: 'checkpoint' | 'branch';
      readonly label: string;
      readonly createdMs: number;
      /** The id of the root that it is made from. */
      readonly from: string;
    }
  /** Makes the root of a session's own files, empty. It is no copy of another root. */
  | { readonly type: 'make-session'; readonly id: string; readonly createdMs: number }
  | { readonly type: 'drop'; readonly id: string }
  /**
   * Brings into the commit's root what the branch changed at these paths and below them. From here
   * on the branch's base has it too.
   */
  | { readonly type: 'merge'; readonly id: string; readonly paths: readonly string[] }
  /** Makes `main` what the checkpoint is, at these paths and below them. */
  | {
      readonly type: 'rewind';
      readonly id: string;
      /** The id of the checkpoint that is made of `main` as it was before, and its label and time. */
      readonly undo: string;
      readonly label: string;
      readonly createdMs: number;
      readonly paths: readonly string[];
      /** What a person changed since the checkpoint stays as it is. */
      readonly keep?: 'user' | undefined;
    };

/**
 * The client that asked for a commit, and the client's own number for it, counted upwards. A client
 * that got no answer sends the commit again; it is applied once.
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
  /** Carried out after the changes; only a rewind's checkpoint is of what was before them. */
  readonly rootChange?: RootChange;
  /** What is appended to a stream with it. */
  readonly stream?: StreamChange;
  readonly origin?: CommitOrigin;
}

/** Bytes that a record brought into the workspace. */
export interface NewContent {
  readonly contentId: ContentId;
  readonly bytes: Uint8Array;
}

/**
 * Carries one change out. `version` is the record's number: so a path's version is that of its last
 * change. What doesn't fit is a damaged log or a programmer's mistake: it throws a TypeError.
 */
export function applyChange(tree: TreeEditor, change: RecordedChange, version: Version): void {
  tree.put(change.path, toNode(tree, change, version));
}

/** A directory that stands already keeps its entries: the change is one of its attributes. */
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
      // An unknown change must throw. Treated as nothing, it would remove the path.
      throw new TypeError(`Unknown change: ${JSON.stringify(change satisfies never)}`);
  }
}

const kindOf = { write: 'file', mkdir: 'directory', symlink: 'symlink' } as const;

/** What a record did, for listeners: a path each. `before` is the root that it was applied to. */
export function toPathChanges(before: DirectoryNode, record: WorkspaceRecord): PathChange[] {
  const tree = new TreeEditor(before);
  const changes = new Map<string, PathChange>();
  for (const change of record.changes) {
    const { path } = change;
    const old = tree.get(path);
    if (change.type === 'remove') {
      const kind = old?.kind ?? 'file';
      // It tells of all below, also where something else is made in its place: under a key of its own.
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

/** A session's files come and go as a directory that every view shows. */
function toSessionChange({ rootChange, seq }: WorkspaceRecord): PathChange | undefined {
  if (rootChange?.type !== 'make-session' && rootChange?.type !== 'drop') return undefined;
  const session = sessionOfRoot(rootChange.id);
  if (session === undefined) return undefined;
  const type = rootChange.type === 'drop' ? 'delete' : 'create';
  return { path: toSessionDirectory(session), type, kind: 'directory', version: seq };
}
