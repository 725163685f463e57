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

/** The file as the draft saw it before writing: the ancestor of a three-way merge. */
export interface FileBase {
  readonly contentId: ContentId;
  readonly mode: number;
}

/**
 * One path's new state. `baseVersion` is the version that the draft saw: the change is refused
 * with `ECONFLICT` when the path has moved on since. Where nothing stood, `parentVersion` is that
 * of the directory that the draft saw there. The change is refused, too, when another directory has
 * its name by now.
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
      /** Left out where no file stood there. Looked at only by a commit that merges. */
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
       * Removes a directory with all that is in it, by this one change. Its `baseVersion` is the
       * highest in there: the change is refused when something below was made or changed since. No
       * call's change set has it, as rules are asked about each path (agent/calls/settle.ts).
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

/** A change as a person reviews it: what a permission question and a view show. */
export interface FileChange {
  readonly path: string;
  readonly type: 'create' | 'update' | 'delete';
  readonly additions: number;
  readonly deletions: number;
  /** Empty for binary files and directories. */
  readonly structuredPatch: readonly PatchHunk[];
}
