// The port to the roots beside `main`: checkpoints for rewinding, branches for working and merging,
// and the roots of sessions' own files. Part of the Workspace port (workspace.ts).
import type { FileChange } from '../../core/change-set.ts';
import type { StreamAppend } from '../streams.ts';
import type { ChangeAuthor } from '../workspace.ts';

/** A root beside `main`. Views and commits refer to it by its id. */
export interface WorkspaceRoot {
  readonly id: string;
  readonly kind: 'checkpoint' | 'branch' | 'session';
  /** Empty for a session root. */
  readonly label: string;
  readonly createdMs: number;
  /** The number of the record that created it. */
  readonly seq: number;
}

/** Which roots are listed. */
export interface ListRootsOptions {
  /** @defaultValue checkpoints and branches */
  readonly kind?: WorkspaceRoot['kind'];
}

/** The author of a change of roots, and an entry about it. */
export interface RootOptions {
  readonly author: ChangeAuthor;
  /** Entries to append to a stream in the same record, as in `Workspace.commit`. */
  readonly append?: StreamAppend;
}

/** The options of a new checkpoint. */
export interface CheckpointOptions extends RootOptions {
  /**
   * The new root's id, useful for an entry in the same record. It must be unused. @defaultValue
   * random
   */
  readonly id?: string;
  /** The id of the root to pin. @defaultValue `main` */
  readonly from?: string;
}

/** The start of a branch. */
export interface BranchOptions extends RootOptions {
  /** It must be unused. @defaultValue random */
  readonly id?: string;
  /** The id of the root from which it starts. @defaultValue `main` */
  readonly from?: string;
}

/** With what a root is compared. Left out: a branch with its base, a checkpoint with `main`. */
export interface DiffOptions {
  /** The id of the root to compare with. */
  readonly against?: string;
  /**
   * For a checkpoint compared with `main`: what a rewind that keeps the user's paths would change.
   */
  readonly keep?: 'user';
}

/** Which parts of a branch are merged into which root. */
export interface MergeOptions extends RootOptions {
  /** Files and directories to accept, with everything below them. @defaultValue the whole branch */
  readonly paths?: readonly string[];
  /** The id of the root to merge into. @defaultValue `main` */
  readonly into?: string;
}

/** The result of a merge. */
export interface MergeResult {
  /** The record's number. If the branch had nothing new, that of the last commit. */
  readonly seq: number;
  /**
   * The paths that were new in the branch, in order, whether or not the other root already had the
   * same state.
   */
  readonly paths: readonly string[];
}

/** How much of a checkpoint comes back. */
export interface RootRewindOptions extends RootOptions {
  /** `user`: paths that a person changed or removed since the checkpoint stay as they are; a `.git`, as a whole. */
  readonly keep?: 'user';
  /** Files and directories to restore, with everything below them. @defaultValue everything */
  readonly paths?: readonly string[];
  /** The id for a checkpoint of the state before. It must be unused. @defaultValue random */
  readonly undo?: string;
}

/** What a rewind has done, and how to undo it. */
export interface RootRewindResult {
  readonly seq: number;
  /** The id of a checkpoint of `main` before the rewind. Rewind to it to undo the rewind. */
  readonly undo: string;
  /** The changed paths in order. A directory is listed only if nothing below it changed. */
  readonly paths: readonly string[];
  /** The paths that `keep` preserved although the checkpoint differs, in order. */
  readonly kept: readonly string[];
}

/**
 * Checkpoints and branches, and the roots of sessions' own files.
 * Every method rejects with `invalid-input` for an id that doesn't exist or has the wrong kind
 * (also when dropping twice), and for invalid options. Methods that write also reject as
 * `Workspace.commit` does. Each is one record of the log with durability `power`, and takes effect
 * as a whole or not at all. There may be 1 024 checkpoints and branches at a time, and 4 096
 * session roots. Their contents are kept until they are dropped.
 */
export interface WorkspaceRoots {
  /** Returns checkpoints and branches, or the roots of one kind, in the order of their creation. */
  list(options?: ListRootsOptions): Promise<WorkspaceRoot[]>;
  /** Pins the current state of `main` or of another root. A label has at most 1 000 characters. */
  checkpoint(label: string | undefined, options: CheckpointOptions): Promise<WorkspaceRoot>;
  /** Creates a branch. Commits with its id as `root` change it. */
  branch(label: string, options: BranchOptions): Promise<WorkspaceRoot>;
  /**
   * Returns the root of a session's own files, `session/<id>`. Creates an empty one if there is
   * none. Every view shows it at `/session/<id>`. It isn't part of any other root: no branch, hash,
   * diff, rewind or search of the workspace includes it. Only commits with its id as `root` change
   * it, and only `drop` removes it.
   */
  session(sessionId: string, options: Pick<RootOptions, 'author'>): Promise<WorkspaceRoot>;
  /**
   * Removes a root; for a session root, with its files. Branches that were created from it stay.
   */
  drop(id: string, options: RootOptions): Promise<{ readonly seq: number }>;
  /**
   * Returns the differences of `id` from `against`, with patches. By default a branch is compared
   * with its base (what a merge would change), and a checkpoint with `main` (what a rewind would
   * change).
   */
  diff(id: string, options?: DiffOptions): Promise<FileChange[]>;
  /**
   * Applies what a branch has changed since its base. If the other root has changed the same path,
   * a three-way merge by lines is tried. If it has conflicts, nothing is merged: it rejects with
   * `ECONFLICT` and all such paths in `data.paths`.
   * The branch's base then includes the accepted changes. So a later merge, also into another root,
   * only applies what is new or was left out. The branch itself isn't changed and doesn't see
   * changes of the other root.
   */
  merge(id: string, options: MergeOptions): Promise<MergeResult>;
  /**
   * Resets `main` to the checkpoint in one record. Nothing is lost: `undo` has the state before,
   * and later checkpoints stay. With `keep: 'user'`, a path that a person has changed stays even if
   * the agent changed it too. A path that the agent removed or moved is restored. A mount that is
   * read-only, or was first read after the checkpoint, isn't changed.
   */
  rewind(checkpointId: string, options: RootRewindOptions): Promise<RootRewindResult>;
}
