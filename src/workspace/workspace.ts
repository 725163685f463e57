// The port to a whole workspace. Hosts hold it and the agent commits to it. Adapters: the writer
// itself (on one thread) and a tab's client of the FS worker.
import type { ChangeSet, ContentId, Version } from '../core/change-set.ts';
import type { FileSystem } from './files/file-system.ts';
import type { CommitOrigin } from './state/record.ts';
import type { WorkspaceHistory } from './state/workspace-history.ts';
import type { WorkspaceRoots } from './state/workspace-roots.ts';
import type { StreamAppend, WorkspaceStreams } from './streams.ts';

/** Who made a change: a person in an editor, or a call of the agent. */
export interface ChangeAuthor {
  readonly kind: 'user' | 'agent';
  /** The call, for an agent's changes. What bears one is in the history ({@link Workspace.history}). */
  readonly callId?: string;
  /** The session whose call it is. */
  readonly sessionId?: string;
  /** Who it was, where that is known: the source of a mount, for what changed outside. At most 256 characters. */
  readonly name?: string;
}

/**
 * The change of one path. For a deletion `kind` is what was there. A directory's deletion stands
 * for everything below it, whether that is listed too or not: `fs.rm` and `fs.rename` of a
 * directory are one deletion. A deletion comes before a new node in its place.
 */
export interface PathChange {
  readonly path: string;
  readonly type: 'create' | 'update' | 'delete';
  readonly kind: 'file' | 'directory' | 'symlink';
  readonly version: Version;
}

/** What stands at a path. `contentId` is the file's content: the same number, the same bytes. */
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
  /** The id of the root that it changed: `main`, a branch's, or a session's. */
  readonly root: string;
  readonly author: ChangeAuthor;
  readonly changes: readonly PathChange[];
}

/** When a commit counts as done: handed to the system, or flushed to the medium. */
export type Durability = 'process' | 'power';

/** Who made the change, and how durable it must be before it is acknowledged. */
export interface CommitOptions {
  readonly author: ChangeAuthor;
  /** @defaultValue `power` */
  readonly durability?: Durability;
  /** The id of the root to change. @defaultValue `main` */
  readonly root?: string;
  /**
   * What becomes of paths that have moved on since the draft saw them. `text`: what both sides
   * changed is merged, texts line by line, and the same change on both sides is none; only what
   * isn't clean is refused. Left out: every such path is a conflict.
   */
  readonly merge?: 'text';
  /**
   * What is appended to a stream in the same record. Where its `at` isn't the stream's length the
   * commit rejects with `EFENCED` ({@link WorkspaceStreams.append}), and no file is changed either.
   */
  readonly append?: StreamAppend;
  /** For a client that may retry a commit: a number that was answered isn't applied again. */
  readonly origin?: CommitOrigin;
}

/** Given only once the commit is as durable as was asked for. */
export interface CommitResult {
  /** The record's number, and the new version of every path in it. */
  readonly seq: number;
}

/** What a status line shows of a workspace, as of now. */
export interface WorkspaceInfo {
  /** `opfs-log`, `memory`, …: where the bytes are. */
  readonly driver: string;
  readonly name: string;
  readonly seq: number;
  /** Does this tab have the log, or another one? Left out where only one can have it. */
  readonly role?: 'leader' | 'follower';
  /** Does it outlive this page (or process)? */
  readonly isPersistent: boolean;
  /** Bytes in the log, live and dead. */
  readonly logBytes: number;
  /** Bytes that didn't count when it was opened: torn, damaged, or set aside before. 0 as a rule. */
  readonly droppedBytes: number;
  /** Paths whose bytes the medium lost; reading them rejects with `EIO`. None as a rule. */
  readonly lostFiles: readonly string[];
  /** Why the last image or compaction failed. Nothing is lost by it, but the log grows. */
  readonly upkeepError?: string;
}

/**
 * The tree of one root, as views of it show it: with the sessions' files at `/session`. Every method
 * rejects with `invalid-input` once the root isn't there.
 */
export interface RootTree {
  /**
   * Whole-file operations, each a commit of its own to the root by the user. Not atomic with one
   * another. A checkpoint can only be read.
   */
  readonly fs: FileSystem;
  /** The version of each path now; 0 where there is nothing. */
  versions(paths: readonly string[]): Promise<Version[]>;
  /** What stands at each path now; null where there is nothing. No link is followed. */
  lookUp(paths: readonly string[]): Promise<(PathState | null)[]>;
}

/**
 * A workspace as its host holds it. Its own `fs`, `versions` and `lookUp` are those of `main`.
 *
 * Every change is acknowledged only once it is as durable as asked for. A commit either lands
 * whole or rejects and changes nothing: `ECONFLICT` (with `data.paths`) when a path has moved on,
 * `ENOSPC` when the medium is full.
 */
export interface Workspace extends AsyncDisposable, RootTree {
  /** Checkpoints, branches and the roots of sessions' own files. */
  readonly roots: WorkspaceRoots;
  /** Numbered entries outside every tree: a session's journal is one. */
  readonly streams: WorkspaceStreams;
  /** What calls have changed, and how one of them is taken back. */
  readonly history: WorkspaceHistory;
  info(): Promise<WorkspaceInfo>;
  /** The number of the last acknowledged record that this side has heard of. */
  seq(): number;
  /** What is given, the bytes too, stays the caller's, and is to be left as it is until it resolves. */
  commit(changeSet: ChangeSet, options: CommitOptions): Promise<CommitResult>;
  /** The tree of the root of that id: `main`, a branch, a checkpoint, or a session's own files. */
  at(root: string): RootTree;
  /** A hash over `main`'s every path, kind, mode and content: equal trees have equal hashes. */
  treeHash(): Promise<string>;
  /**
   * Called for each acknowledged record, in order; in a tab not for those that were made while its FS
   * worker was replaced. Dispose it to stop.
   */
  onChange(listener: (event: ChangeEvent) => void): Disposable;
}
