// The port to what calls have changed, file by file, and to taking one call's changes back. Part of the
// Workspace port (workspace.ts).
import type { ContentId, FileChange, Version } from '../../core/change-set.ts';

/** What stood at a path: a file's content and mode, or a link's target. */
export type FileVersion =
  | {
      readonly kind: 'file';
      readonly contentId: ContentId;
      /** In bytes. */
      readonly size: number;
      readonly mode: number;
    }
  | { readonly kind: 'symlink'; readonly target: string };

/** One file that a call has changed. */
export interface FileHistoryEntry {
  readonly callId: string;
  /** Left out where the commit named none. */
  readonly sessionId?: string;
  /** The number of the commit. */
  readonly seq: Version;
  /** The id of the root that was changed: `main`, or a branch's. */
  readonly root: string;
  readonly path: string;
  /** Null: nothing stood there, or a directory. */
  readonly before: FileVersion | null;
  /** Null: nothing stands there any more, or a directory. */
  readonly after: FileVersion | null;
}

/** Which entries are listed; left out: all. */
export interface FileHistoryOptions {
  readonly callId?: string;
  readonly sessionId?: string;
  /** The file's real path. */
  readonly path?: string;
  /** At most so many, the newest. From 1. */
  readonly limit?: number;
}

/** How a call's changes are taken back. */
export interface UndoCallOptions {
  /** The session of the call, if several sessions have a call of that id. */
  readonly sessionId?: string;
  /**
   * What becomes of files that have changed since the call. `text`: the call's change is taken out of the
   * text as it is now, line by line. Left out: nothing is changed, and the answer says which these are.
   */
  readonly merge?: 'text';
}

/**
 * What an undo has done. `undone`: all of the call's files are as they were before it, but for what was
 * changed in them since and merged. `moved`: nothing was changed, as files have moved on.
 */
export type UndoCallResult =
  | {
      readonly type: 'undone';
      /** The number of the commit; that of now where nothing was left to be done. */
      readonly seq: Version;
      /** What was changed, with patches. */
      readonly changes: readonly FileChange[];
      /** To undo the undo: a call id of this history. Left out where nothing was changed. */
      readonly undo?: string;
    }
  | {
      readonly type: 'moved';
      /** What has changed since the call, in order. */
      readonly paths: readonly string[];
      /** Those of them that can't be merged either. If empty, `merge: 'text'` undoes the call. */
      readonly conflicts: readonly string[];
      /** All of this in a sentence or two, for a person. */
      readonly message: string;
    };

/**
 * The changes of calls, of all sessions. A call's are recorded in the same record as its commit, so they
 * are there after a reload and in every tab.
 *
 * It holds the newest 1 000 calls and 64 MB of their contents; before and after count each. Older calls are dropped,
 * each as a whole. A call that changed more than 1 000 files or 64 MB isn't held: a rewind takes it back. Deleting a
 * session lets nothing go. Directories aren't held.
 */
export interface WorkspaceHistory {
  /** Newest first; the files of one call in the order of their commit. */
  list(options?: FileHistoryOptions): Promise<FileHistoryEntry[]>;
  /** The bytes of a version, for as long as the history has it: then as an overwritten content's. They are shared. */
  readContent(contentId: ContentId): Promise<Uint8Array>;
  /**
   * Takes back what the call has changed, in one commit by the user to the call's root. If a session has several calls
   * of that id, the newest is meant. Directories that are missing are made; those that the call made stay. Rejects with
   * `invalid-input` for a call that the history doesn't have or whose root was dropped, and as `Workspace.commit` does.
   */
  undo(callId: string, options?: UndoCallOptions): Promise<UndoCallResult>;
}
