// The port to the roots beside `main`. Checkpoints are pinned and can be rewound to; branches are
// worked on and merged; a session's own files have a root, too. Part of the Workspace port
// (workspace.ts).
import type { FileChange } from '../../core/change-set.ts';
import type { StreamAppend } from '../streams.ts';
import type { ChangeAuthor } from '../workspace.ts';

/** A root beside `main`, as a list shows it. Views and commits address it by its id. */
export interface WorkspaceRoot {
  readonly id: string;
  readonly kind: 'checkpoint' | 'branch' | 'session';
  /** Empty for a session's. */
  readonly label: string;
  readonly createdMs: number;
  /** The number of the record that made it. */
  readonly seq: number;
}

/** Which roots are listed. */
export interface ListRootsOptions {
  /** @defaultValue checkpoints and branches */
  readonly kind?: WorkspaceRoot['kind'];
}

/** Who is responsible for a change of the roots, and what is noted of it. */
export interface RootOptions {
  readonly author: ChangeAuthor;
  /** What is appended to a stream in the same record: as with `Workspace.commit`. */
  readonly append?: StreamAppend;
}

/** The options of a new checkpoint. */
export interface CheckpointOptions extends RootOptions {
  /** For whoever notes it in the same record. No root may have it. @defaultValue random */
  readonly id?: string;
  /** The id of the root that it pins. @defaultValue `main` */
  readonly from?: string;
}

/** Where a branch begins. */
export interface BranchOptions extends RootOptions {
  /** No root may have it. @defaultValue random */
  readonly id?: string;
  /** The id of the root that it begins as. @defaultValue `main` */
  readonly from?: string;
}

/** What a root is compared with. Left out: a branch's base, and `main` for a checkpoint. */
export interface DiffOptions {
  /** The id of the root to compare with. */
  readonly against?: string;
  /** For a checkpoint, compared with `main`: what a rewind that keeps the user's paths would change. */
  readonly keep?: 'user';
}

/** What of a branch is taken over, and into which root. */
export interface MergeOptions extends RootOptions {
  /** Files and directories to accept, each with all below it. @defaultValue all of the branch */
  readonly paths?: readonly string[];
  /** The id of the root to merge into. @defaultValue `main` */
  readonly into?: string;
}

/** What a merge has left in the root. */
export interface MergeResult {
  /** The record's number; that of now where the branch had nothing new. */
  readonly seq: number;
  /** What was new in the branch, whether it stood in the other root already or not. In order. */
  readonly paths: readonly string[];
}

/** How much of a checkpoint comes back. */
export interface RootRewindOptions extends RootOptions {
  /** `user`: paths that a person changed or removed since the checkpoint stay as they are; a `.git`, as a whole. */
  readonly keep?: 'user';
  /** Files and directories to go back, each with all below it. @defaultValue everything */
  readonly paths?: readonly string[];
  /** The id for the checkpoint of what was before. No root may have it. @defaultValue random */
  readonly undo?: string;
}

/** What a rewind has done, and how to undo it. */
export interface RootRewindResult {
  readonly seq: number;
  /** The id of a checkpoint of `main` as it was before: rewinding to it undoes the rewind. */
  readonly undo: string;
  /** What it has changed; directories only where nothing below them has. In order. */
  readonly paths: readonly string[];
  /** What `keep` left as it is, though the checkpoint has it otherwise. In order. */
  readonly kept: readonly string[];
}

/**
 * Checkpoints and branches, and the roots of sessions' own files.
 *
 * Every method rejects with `invalid-input` for an id that doesn't exist or is of the wrong kind,
 * and for options that make no sense. Dropping twice is such a case. Methods that write also reject
 * as `Workspace.commit` does. Each is one record of the log, as durable as `power`, and either
 * lands whole or changes nothing. There may be 1 024 checkpoints and branches at a time, and beside
 * them 4 096 sessions' roots. Their contents are kept until they are dropped.
 */
export interface WorkspaceRoots {
  /** Checkpoints and branches, or the roots of one kind, in the order in which they were made. */
  list(options?: ListRootsOptions): Promise<WorkspaceRoot[]>;
  /** Pins `main`, or another root, as it is. A label has at most 1 000 characters. */
  checkpoint(label: string | undefined, options: CheckpointOptions): Promise<WorkspaceRoot>;
  /** Begins a branch: commits with its id as `root` go there. */
  branch(label: string, options: BranchOptions): Promise<WorkspaceRoot>;
  /**
   * The root of a session's own files, `session/<id>`; made, empty, where there is none. Every view
   * shows it at `/session/<id>`, and no other root has it: no branch, hash, diff, rewind or search
   * of the workspace. Only commits with its id as `root` change it. Only `drop` ends it.
   */
  session(sessionId: string, options: Pick<RootOptions, 'author'>): Promise<WorkspaceRoot>;
  /** Forgets a root, with a session's its files. Branches that were made from it stay. */
  drop(id: string, options: RootOptions): Promise<{ readonly seq: number }>;
  /**
   * What `id` has otherwise than `against`, with patches. By default a branch is compared with its
   * base: what a merge would bring; a checkpoint with `main`: what a rewind would change.
   */
  diff(id: string, options?: DiffOptions): Promise<FileChange[]>;
  /**
   * Accepts what a branch changed since its base. If the other root has changed the same path, a three-way merge is
   * tried, text line by line. If it isn't clean, nothing is merged: it rejects with `ECONFLICT` and all such paths in
   * `data.paths`.
   *
   * What was accepted is in the branch's base from then on. So another merge, also into another root, brings what is
   * new since and what was left out, and nothing twice. The branch itself isn't changed: it doesn't see what the other
   * root has.
   */
  merge(id: string, options: MergeOptions): Promise<MergeResult>;
  /**
   * Makes `main` what the checkpoint is, in one record. Nothing is lost: `undo` holds what was, and
   * the checkpoints made since stay. With `keep: 'user'` a path that a person has changed stays
   * even if the agent changed it too. One that the agent removed or moved away comes back. A mount
   * that is read-only, or was first read after the checkpoint, stays as it is.
   */
  rewind(checkpointId: string, options: RootRewindOptions): Promise<RootRewindResult>;
}
