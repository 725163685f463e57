// The port to the changes of calls, file by file, and to undoing a call. Part of the Workspace port
// (workspace.ts).
import type { ContentId, FileChange, Version } from '../../core/change-set.ts';

/** A path's state: a file's content and mode, or a link's target. */
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
  /** Left out if the commit had none. */
  readonly sessionId?: string;
  /** The number of the commit. */
  readonly seq: Version;
  /** The id of the changed root: `main`, or a branch's. */
  readonly root: string;
  readonly path: string;
  /** Null if there was nothing, or a directory. */
  readonly before: FileVersion | null;
  /** Null if there is nothing any more, or a directory. */
  readonly after: FileVersion | null;
}

/** Which entries are listed. Left out: all. */
export interface FileHistoryOptions {
  readonly callId?: string;
  readonly sessionId?: string;
  /** The file's real path. */
  readonly path?: string;
  /** The number of newest entries to list, at least 1. */
  readonly limit?: number;
}

/** How a call is undone. */
export interface UndoCallOptions {
  /** The session of the call, if several sessions have a call with that id. */
  readonly sessionId?: string;
  /**
   * What happens to files that have changed since the call. `text` removes the call's change from
   * the current text, line by line. Left out: nothing is changed, and the result lists these files.
   */
  readonly merge?: 'text';
}

/**
 * The result of an undo. `undone`: all of the call's files are as before it, apart from later
 * changes that were merged. `moved`: nothing was changed, because files have changed since.
 */
export type UndoCallResult =
  | {
      readonly type: 'undone';
      /** The number of the commit. If nothing had to be changed, that of the last commit. */
      readonly seq: Version;
      /** What was changed, with patches. */
      readonly changes: readonly FileChange[];
      /** The call id with which the undo itself can be undone. Left out if nothing was changed. */
      readonly undo?: string;
    }
  | {
      readonly type: 'moved';
      /** Paths that have changed since the call, in order. */
      readonly paths: readonly string[];
      /** Those of them that can't be merged. If it is empty, `merge: 'text'` undoes the call. */
      readonly conflicts: readonly string[];
      /** A message for a person. */
      readonly message: string;
    };

/**
 * The changes of calls of all sessions. They are recorded together with the call's commit, so they
 * exist after a reload and in every tab.
 * Keeps the newest 1 000 calls and 64 MB of their contents, counting both before and after. Older
 * calls are dropped as a whole. A call that changed more than 1 000 files or 64 MB isn't kept; use
 * a rewind to undo it. Deleting a session drops nothing. Directories aren't recorded.
 */
export interface WorkspaceHistory {
  /** Newest first. The files of one call are in the order of their commit. */
  list(options?: FileHistoryOptions): Promise<FileHistoryEntry[]>;
  /**
   * Returns the bytes of a version. They are available at least as long as the history has the
   * version. They are shared.
   */
  readContent(contentId: ContentId): Promise<Uint8Array>;
  /**
   * Undoes a call in one commit by the user to the call's root. Of several calls with the id in a
   * session, the newest is undone. Missing directories are created; directories that the call
   * created stay. Rejects with `invalid-input` if the history doesn't have the call or its root was
   * dropped, and as `Workspace.commit` does.
   */
  undo(callId: string, options?: UndoCallOptions): Promise<UndoCallResult>;
}
