// The port to a whole workspace. Hosts hold it, and the agent commits to it. Its adapters are the
// writer itself (on one thread) and a tab's client of the FS worker.
import type { ChangeSet, ContentId, Version } from '../core/change-set.ts';
import type { FileSystem } from './files/file-system.ts';
import type { CommitOrigin } from './state/record.ts';
import type { WorkspaceHistory } from './state/workspace-history.ts';
import type { WorkspaceRoots } from './state/workspace-roots.ts';
import type { StreamAppend, WorkspaceStreams } from './streams.ts';

/** Who made a change: a person in an editor, or a call of the agent. */
export interface ChangeAuthor {
  readonly kind: 'user' | 'agent';
  /**
   * The id of the call, for an agent's changes. These are in the history ({@link
   * Workspace.history}).
   */
  readonly callId?: string;
  /** The session of the call. */
  readonly sessionId?: string;
  /**
   * The author's name, if known. For changes outside, it is the source of the mount. At most 256
   * characters.
   */
  readonly name?: string;
}

/**
 * The change of one path. For a deletion, `kind` is the former node's. A directory's deletion
 * includes everything below it, whether or not that is listed: `fs.rm` and `fs.rename` of a
 * directory are one deletion. A deletion comes before a new node in its place.
 */
export interface PathChange {
  readonly path: string;
  readonly type: 'create' | 'update' | 'delete';
  readonly kind: 'file' | 'directory' | 'symlink';
  readonly version: Version;
}

/** The state of a path. Equal values of `contentId` mean equal bytes. */
export type PathState =
  | {
      readonly kind: 'file';
      readonly version: Version;
      /** In bytes. */
      readonly size: number;
      readonly contentId: ContentId;
    }
  | { readonly kind: 'directory'; readonly version: Version }
  | { readonly kind: 'symlink'; readonly version: Version; readonly target: string };

/** One acknowledged record of the log. */
export interface ChangeEvent {
  readonly seq: number;
  /** The id of the changed root: `main`, a branch's, or a session's. */
  readonly root: string;
  readonly author: ChangeAuthor;
  readonly changes: readonly PathChange[];
}

/**
 * When a commit counts as done: `process` once it is passed to the system, `power` once it is
 * flushed to the medium.
 */
export type Durability = 'process' | 'power';

/** The author of the change, and its durability before it is acknowledged. */
export interface CommitOptions {
  readonly author: ChangeAuthor;
  /** @defaultValue `power` */
  readonly durability?: Durability;
  /** The id of the root to change. @defaultValue `main` */
  readonly root?: string;
  /**
   * How to handle paths with a newer version than the draft saw. `text` merges changes of both
   * sides, text by lines. Equal changes count once, and only conflicting ones are refused. Left
   * out: every such path is a conflict.
   */
  readonly merge?: 'text';
  /**
   * Entries to append to a stream in the same record. If `at` isn't the stream's length, the commit
   * rejects with `EFENCED` ({@link WorkspaceStreams.append}) and changes no file either.
   */
  readonly append?: StreamAppend;
  /** For a client that may retry a commit: an acknowledged origin isn't applied again. */
  readonly origin?: CommitOrigin;
}

/** The result of a commit that has reached the requested durability. */
export interface CommitResult {
  /** The record's number, which is also the new version of every path in it. */
  readonly seq: number;
}

/** The workspace's current state for a status line. */
export interface WorkspaceInfo {
  /** Where the bytes are: `opfs-log`, `memory`, … */
  readonly driver: string;
  readonly name: string;
  readonly seq: number;
  /**
   * Whether this tab owns the log (`leader`) or another one does. Left out if tabs don't share it.
   */
  readonly role?: 'leader' | 'follower';
  /** True if the data outlives this page or process. */
  readonly isPersistent: boolean;
  /** Bytes in the log, live and dead. */
  readonly logBytes: number;
  /** Bytes that were skipped at opening: torn, damaged, or set aside earlier. Normally 0. */
  readonly droppedBytes: number;
  /** Paths whose bytes the medium has lost. Reading them rejects with `EIO`. Normally empty. */
  readonly lostFiles: readonly string[];
  /** Why the last image or compaction failed. Nothing is lost, but the log grows. */
  readonly upkeepError?: string;
}

/**
 * The tree of one root as its views show it, with the sessions' files at `/session`. Every method
 * rejects with `invalid-input` if the root doesn't exist.
 */
export interface RootTree {
  /**
   * File operations. Each is a commit of its own to the root, by the user. Several operations
   * aren't atomic together. A checkpoint is read-only.
   */
  readonly fs: FileSystem;
  /** Returns the current version of each path; 0 if there is nothing. */
  versions(paths: readonly string[]): Promise<Version[]>;
  /** Returns the current state of each path without following links; null if there is nothing. */
  lookUp(paths: readonly string[]): Promise<(PathState | null)[]>;
}

/**
 * A workspace as its host holds it. Its own `fs`, `versions` and `lookUp` are those of `main`.
 * A change is acknowledged once it has the requested durability. A commit takes effect as a whole,
 * or it rejects and changes nothing: with `ECONFLICT` (and `data.paths`) if a path has changed
 * since the draft's base, and with `ENOSPC` if the medium is full.
 */
export interface Workspace extends AsyncDisposable, RootTree {
  /** Checkpoints, branches and the roots of sessions' own files. */
  readonly roots: WorkspaceRoots;
  /** Numbered entries outside of every tree. A session's journal is one. */
  readonly streams: WorkspaceStreams;
  /** The changes of calls, and how to undo one. */
  readonly history: WorkspaceHistory;
  info(): Promise<WorkspaceInfo>;
  /** The number of the last acknowledged record that this side has received. */
  seq(): number;
  /**
   * The caller keeps ownership of its data, including bytes, and must not change it until the
   * commit resolves.
   */
  commit(changeSet: ChangeSet, options: CommitOptions): Promise<CommitResult>;
  /** Returns the tree of a root: `main`, a branch, a checkpoint, or a session's own files. */
  at(root: string): RootTree;
  /**
   * Returns a hash over every path, kind, mode and content of `main`. Equal trees have equal
   * hashes.
   */
  treeHash(): Promise<string>;
  /**
   * Called for each acknowledged record, in order. A tab doesn't get records from the time in which
   * its FS worker was replaced. Dispose of the result to stop.
   */
  onChange(listener: (event: ChangeEvent) => void): Disposable;
}
