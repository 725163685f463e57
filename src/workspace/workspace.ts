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
  /** The call, for an agent's changes. Changes with one are in the history ({@link Workspace.history}). */
  readonly callId?: string;
  /** The session whose call it is. */
  readonly sessionId?: string;
  /** The author's name, if known: for changes outside, the source of the mount. At most 256 characters. */
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
   * What happens to paths that have a newer version than the draft saw. `text`: what both sides changed
   * is merged, texts by lines; equal changes count once, and only an unclean merge is refused. Left out:
   * every such path is a conflict.
   */
  readonly merge?: 'text';
  /**
   * Entries to append to a stream in the same record. If `at` isn't the stream's length, the commit
   * rejects with `EFENCED` ({@link WorkspaceStreams.append}), and no file is changed either.
   */
  readonly append?: StreamAppend;
  /** For a client that may retry a commit: an origin that was acknowledged isn't applied again. */
  readonly origin?: CommitOrigin;
}

/** A commit's result, given when the commit is as durable as requested. */
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
  /** Does this tab own the log (`leader`), or another one? Left out where tabs don't share it. */
  readonly role?: 'leader' | 'follower';
  /** Does it outlive this page (or process)? */
  readonly isPersistent: boolean;
  /** Bytes in the log, live and dead. */
  readonly logBytes: number;
  /** Bytes that were skipped at the opening: torn, damaged, or set aside before. Normally 0. */
  readonly droppedBytes: number;
  /** Paths whose bytes the medium lost; reading them rejects with `EIO`. Normally none. */
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
  /** What calls have changed, and the way to undo one of them. */
  readonly history: WorkspaceHistory;
  info(): Promise<WorkspaceInfo>;
  /** The number of the last acknowledged record that this side has heard of. */
  seq(): number;
  /** The caller keeps what it gives, bytes included, and must not change it until the commit resolves. */
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
