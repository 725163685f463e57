// The changes of a draft as plain data. A worker can change the workspace only by sending one.
// workspace/draft/draft.ts makes it; workspace/commit/writer.ts checks and applies it.

/** The sequence number of a path's last change. 0: the path was never there. Never a time. */
export type Version = number;

/** The number of a content that the workspace already holds. Contents never change. */
export type ContentId = number;

/** Which tree a call sees, and how much of the log it must have seen. */
export interface WorkspaceAddress {
  /** `main`, or the id of a draft or of a pinned root. */
  readonly root: string;
  /** The call waits until its replica has applied this record. */
  readonly minSeq: number;
}

/** New bytes, or a content that is there already (a rename moves no bytes). */
export type ChangeContent = Uint8Array | { readonly contentId: ContentId };

/** The file as the draft saw it before the first write: the ancestor for a three-way merge. */
export interface FileBase {
  readonly contentId: ContentId;
  readonly mode: number;
}

/**
 * One path's new state. `baseVersion` is the version that the draft saw: the change is refused with `ECONFLICT` if
 * the path has changed since. For a path where nothing was, `parentVersion` is the version of the directory that the
 * draft saw. The change is also refused if another directory has that name by now.
 */
export type Change =
  | {
      readonly type: 'write';
      readonly path: string;
      readonly baseVersion: Version;
      readonly parentVersion?: Version;
      readonly content: ChangeContent;
      readonly mode: number;
      readonly mtimeMs: number;
      /** Left out if there was no file. Only a commit that merges uses it. */
      readonly base?: FileBase;
    }
  | {
      readonly type: 'mkdir';
      readonly path: string;
      readonly baseVersion: Version;
      readonly parentVersion?: Version;
      readonly mode: number;
      readonly mtimeMs: number;
    }
  | {
      readonly type: 'symlink';
      readonly path: string;
      readonly baseVersion: Version;
      readonly parentVersion?: Version;
      readonly target: string;
      readonly mtimeMs: number;
    }
  | {
      readonly type: 'remove';
      readonly path: string;
      readonly baseVersion: Version;
      /**
       * Removes a directory and everything in it by this one change. `baseVersion` is the highest version in the
       * directory: the change is refused if something in it was created or changed since. A call's change set never
       * has this field, because rules judge each path (agent/calls/settle.ts).
       */
      readonly recursive?: true;
    };

/** All changes of one draft. New nodes come parents first, removals children first. */
export interface ChangeSet {
  /** The sequence number of the root that the draft was taken from. */
  readonly baseSeq: number;
  readonly changes: readonly Change[];
}

/** One hunk of a unified diff, as the Claude Agent SDK's Edit and Write report it. */
export interface PatchHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** Each begins with a blank, `-` or `+`. */
  readonly lines: readonly string[];
}

/** A change as a permission question and a view show it to a person. */
export interface FileChange {
  readonly path: string;
  readonly type: 'create' | 'update' | 'delete';
  readonly additions: number;
  readonly deletions: number;
  /** Empty for binary files and directories. */
  readonly structuredPatch: readonly PatchHunk[];
}
