// The interface of git for hosts, cells and tools: one object with git's own command names, over
// the files of one draft. create-git.ts implements the local commands, and remote/ those that talk
// to servers.
import type { FileChange } from '../../core/change-set.ts';

/** A full object id: 40 hexadecimal digits. */
export type Oid = string;

/** Who wrote something, and when. */
export interface GitPerson {
  readonly name: string;
  readonly email: string;
}

/** A person and a time, such as a commit's author or committer. */
export interface GitSignature extends GitPerson {
  /** Seconds since the epoch. */
  readonly timestamp: number;
  /** Minutes from local time to UTC, as in `Date.getTimezoneOffset`: -120 for +0200. */
  readonly timezoneOffset: number;
}

/** A commit, parsed. */
export interface GitCommit {
  readonly oid: Oid;
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  readonly author: GitSignature;
  readonly committer: GitSignature;
  /** The message as it was given, with a line feed at its end. */
  readonly message: string;
}

/** Progress of a slow command. */
export interface GitProgress {
  /** `reading files`, `checking out`, `receiving`, … */
  readonly phase: string;
  readonly done: number;
  /** Left out if it isn't known. */
  readonly total?: number;
}

/** Options of all commands that may take long. */
export interface GitRunOptions {
  /** Ends the command with `aborted`. The files are then as before the command. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: GitProgress) => void;
}

/**
 * A letter of `git status --porcelain`: added, deleted, modified, renamed, type changed (such as
 * from file to link), unmerged, untracked (`?`) or ignored (`!`). A blank means no difference.
 */
export type GitStatusCode = 'A' | 'D' | 'M' | 'R' | 'T' | 'U' | '?' | '!' | ' ';

/** A path that differs between the last commit, the index and the work tree. */
export interface GitFileStatus {
  /** Relative to the work tree's root. An untracked directory ends in `/`, as in git. */
  readonly path: string;
  /** The path in the last commit, if `index` is `R`. The content may have changed as well. */
  readonly renamedFrom?: string;
  /** Compares the last commit with the index. */
  readonly index: GitStatusCode;
  /** Compares the index with the files. */
  readonly worktree: GitStatusCode;
}

/**
 * An operation that stopped at conflicts. It waits for `commit` (a rebase for `continue`) or
 * `abort`.
 */
export type GitOperation = 'merge' | 'cherry-pick' | 'revert' | 'rebase';

/** `git status`. */
export interface GitStatus {
  /** Null if HEAD is detached. */
  readonly branch: string | null;
  /** Null before the first commit. */
  readonly head: Oid | null;
  readonly operation: GitOperation | null;
  /** Ordered by path. Empty if everything is clean. */
  readonly files: readonly GitFileStatus[];
}

/** A file in two trees. */
export interface GitFileDiff extends FileChange {
  /**
   * Its earlier path, by git's rename detection among the compared paths. Left out if the path is
   * the same or the file is new.
   */
  readonly renamedFrom?: string;
  readonly before: GitTreeEntry | null;
  readonly after: GitTreeEntry | null;
}

/** An entry of a tree or of the index. */
export interface GitTreeEntry {
  /** `0o100644`, `0o100755`, `0o120000` for a link, `0o160000` for a submodule. */
  readonly mode: number;
  readonly oid: Oid;
}

/** `git show` of a commit. */
export interface GitShow extends GitCommit {
  /** Compared with the first parent. */
  readonly files: readonly GitFileDiff[];
}

/** A commit that was made. */
export interface GitCommitResult {
  readonly oid: Oid;
  /** Null if HEAD is detached. */
  readonly branch: string | null;
  /** The number of changed paths. */
  readonly files: number;
  /** The commit's message. If none was given, the one that a merge, pick or revert has prepared. */
  readonly message: string;
}

/** The result of merging, picking or reverting. */
export type GitMergeResult =
  | { readonly type: 'up-to-date' }
  | { readonly type: 'fast-forward' | 'merged'; readonly oid: Oid }
  /** The files contain conflict markers. Resolve them, then `add` and `commit`, or `abort`. */
  | { readonly type: 'conflict'; readonly paths: readonly string[] };

/** The result of a rebase. */
export type GitRebaseResult =
  | { readonly type: 'up-to-date' }
  /** `oid` is the branch's new commit. */
  | { readonly type: 'fast-forward' | 'rebased'; readonly oid: Oid }
  /** The files contain conflict markers. Resolve them, then `add` and `continue`, or `abort`. */
  | {
      readonly type: 'conflict';
      readonly paths: readonly string[];
      /** The original commit that has conflicts. */
      readonly commit: Oid;
      /** How many commits follow it. */
      readonly remaining: number;
    };

/** A branch, either local or remote. */
export interface GitBranch {
  /** `main`, `origin/main`. */
  readonly name: string;
  /** Null for a branch without commits. */
  readonly oid: Oid | null;
  readonly isCurrent: boolean;
  readonly isRemote: boolean;
}

/** A tag. */
export interface GitTag {
  readonly name: string;
  /** The object of an annotated tag. Otherwise the same as `target`. */
  readonly oid: Oid;
  /** The tagged object. For an annotated tag, the object that it refers to. */
  readonly target: Oid;
  /** The message of an annotated tag. */
  readonly message?: string;
}

/** A stash: index and files that were put aside. */
export interface GitStash {
  /** 0 is the newest stash. */
  readonly index: number;
  readonly oid: Oid;
  readonly message: string;
}

/** A work tree of the repository; the first is the main one. */
export interface GitWorktree {
  readonly path: string;
  readonly head: Oid | null;
  /** Null if HEAD is detached. */
  readonly branch: string | null;
}

/** How `add` takes files. */
export interface GitAddOptions extends GitRunOptions {
  /** Adds ignored files as well. @defaultValue false */
  readonly force?: boolean;
  /** Only tracked files, as `git add -u`. @defaultValue false */
  readonly update?: boolean;
}

/** What `restore` restores, and from which state. */
export interface GitRestoreOptions extends GitRunOptions {
  /** The source. @defaultValue the index, or HEAD with `staged` */
  readonly source?: string;
  /** Restores the index. @defaultValue false */
  readonly staged?: boolean;
  /** Restores the files. @defaultValue true, unless only `staged` is set */
  readonly worktree?: boolean;
}

/** Where `reset` moves the branch, and what else it resets. */
export interface GitResetOptions extends GitRunOptions {
  /** @defaultValue HEAD */
  readonly to?: string;
  /**
   * `soft` only moves the branch, `mixed` also resets the index, `hard` also resets the files.
   * @defaultValue mixed
   */
  readonly mode?: 'soft' | 'mixed' | 'hard';
}

/** What `commit` writes, and its author. */
export interface GitCommitOptions extends GitRunOptions {
  /** @defaultValue the message that a pending merge, pick or revert has prepared */
  readonly message?: string;
  /** Stages all tracked files first, as `git commit -a`. @defaultValue false */
  readonly all?: boolean;
  /** Replaces the last commit. @defaultValue false */
  readonly amend?: boolean;
  /** Commits even if nothing has changed. @defaultValue false */
  readonly allowEmpty?: boolean;
  /** @defaultValue the repository's `user.name` and `user.email`, or the host's person */
  readonly author?: GitPerson;
  /**
   * Commits although the repository has hooks, which can't run here. @defaultValue false: refused
   */
  readonly noVerify?: boolean;
}

/** Which commits `log` lists. */
export interface GitLogOptions extends GitRunOptions {
  /** Lists commits from here backwards. @defaultValue HEAD */
  readonly ref?: string;
  /** Starts from all branches, tags and HEAD. @defaultValue false */
  readonly all?: boolean;
  /** @defaultValue all */
  readonly maxCount?: number;
  /**
   * Only commits that changed one of these paths. If a merge is equal to one of its parents in
   * them, only that parent's history is followed, as in `git log`.
   */
  readonly paths?: string | readonly string[];
}

/** The two states that `diff` compares. */
export interface GitDiffOptions extends GitRunOptions {
  /** A commit or a tree. @defaultValue the index, or HEAD with `staged` */
  readonly from?: string;
  /** A commit or a tree. @defaultValue the files, or the index with `staged` */
  readonly to?: string;
  /** Compares HEAD with the index. @defaultValue false */
  readonly staged?: boolean;
  /** Only these paths, and everything below them. */
  readonly paths?: string | readonly string[];
}

/** Where `switch` goes, and what happens to changes. */
export interface GitSwitchOptions extends GitRunOptions {
  /** Creates the branch first. @defaultValue false */
  readonly create?: boolean;
  /** Where a new branch begins. @defaultValue HEAD */
  readonly from?: string;
  /** Detaches HEAD at the commit. @defaultValue false */
  readonly detach?: boolean;
  /** Drops changes that the switch would overwrite. @defaultValue false: refused */
  readonly discardChanges?: boolean;
}

/** How `merge` joins two histories. */
export interface GitMergeOptions extends GitRunOptions {
  /** @defaultValue allow */
  readonly fastForward?: 'allow' | 'only' | 'never';
  readonly message?: string;
}

/** Where `rebase` puts the commits. */
export interface GitRebaseOptions extends GitRunOptions {
  /** @defaultValue the upstream itself */
  readonly onto?: string;
  /**
   * Rebases although the repository has a hook for it, which can't run here. @defaultValue false:
   * refused
   */
  readonly noVerify?: boolean;
}

/**
 * The commands of git that need no server. Paths in arguments are absolute or relative to the work
 * tree's root; a directory includes everything below it. Paths in results are relative to the root.
 * Every command takes effect as a whole or not at all. It rejects with an SdkError that says what
 * to do: `bad-usage` if it isn't possible now, `invalid-input` for invalid names and arguments,
 * `ENOENT` without a repository, `unsupported-environment` for unsupported features, and `aborted`.
 * Files that the view's rules deny don't appear in results, and no command changes, adds or removes
 * them.
 */
export interface LocalGit {
  /**
   * Creates a repository. An existing one isn't changed. `branch` is the name of the first branch.
   */
  init(options?: { readonly branch?: string }): Promise<{ readonly gitDirectory: string }>;
  status(options?: GitRunOptions & { readonly ignored?: boolean }): Promise<GitStatus>;
  /**
   * `.` means all. @throws SdkError `ENOENT` for a path that is neither a file nor in the index.
   */
  add(paths: string | readonly string[], options?: GitAddOptions): Promise<void>;
  restore(paths: string | readonly string[], options?: GitRestoreOptions): Promise<void>;
  reset(options?: GitResetOptions): Promise<void>;
  commit(options?: GitCommitOptions): Promise<GitCommitResult>;
  /** Newest first, by committer date. */
  log(options?: GitLogOptions): Promise<GitCommit[]>;
  /** @defaultValue HEAD */
  show(ref?: string, options?: GitRunOptions): Promise<GitShow>;
  /** Returns the bytes of a file in a commit, or in the index if `ref` is empty. */
  readFile(ref: string, path: string): Promise<Uint8Array>;
  diff(options?: GitDiffOptions): Promise<GitFileDiff[]>;
  readonly branch: {
    list(options?: { readonly remotes?: boolean }): Promise<GitBranch[]>;
    create(
      name: string,
      options?: { readonly from?: string; readonly force?: boolean },
    ): Promise<void>;
    /** Refused for a branch that isn't merged into HEAD, unless forced. */
    delete(name: string, options?: { readonly force?: boolean }): Promise<void>;
    rename(from: string, to: string): Promise<void>;
  };
  switch(name: string, options?: GitSwitchOptions): Promise<void>;
  merge(ref: string, options?: GitMergeOptions): Promise<GitMergeResult>;
  cherryPick(ref: string, options?: GitRunOptions): Promise<GitMergeResult>;
  revert(ref: string, options?: GitRunOptions): Promise<GitMergeResult>;
  /**
   * Applies the commits of this branch that `upstream` doesn't have again on top of it. Leaves out
   * merges, and commits whose changes it already has. HEAD is detached while conflicts are
   * resolved.
   */
  rebase(upstream: string, options?: GitRebaseOptions): Promise<GitRebaseResult>;
  /**
   * Continues a rebase that stopped at conflicts. `skip` leaves out the commit that has conflicts.
   */
  continue(options?: GitRunOptions & { readonly skip?: boolean }): Promise<GitRebaseResult>;
  /**
   * Returns to the state before the merge, rebase, pick or revert that stopped at conflicts.
   * Refused if another file was changed since. Not possible for a stash.
   */
  abort(options?: GitRunOptions): Promise<void>;
  readonly stash: {
    /** Resolves to null if there was nothing to stash. */
    push(
      options?: GitRunOptions & { readonly message?: string; readonly untracked?: boolean },
    ): Promise<GitStash | null>;
    list(): Promise<GitStash[]>;
    apply(index?: number, options?: GitRunOptions): Promise<GitMergeResult>;
    /** Applies the stash. Drops it unless there were conflicts. */
    pop(index?: number, options?: GitRunOptions): Promise<GitMergeResult>;
    drop(index?: number): Promise<void>;
  };
  readonly tag: {
    list(): Promise<GitTag[]>;
    /** Creates an annotated tag if a message is given. */
    create(
      name: string,
      options?: { readonly ref?: string; readonly message?: string; readonly force?: boolean },
    ): Promise<void>;
    delete(name: string): Promise<void>;
  };
  readonly worktree: {
    /** Creates a branch named after the last part of the directory, unless `branch` names one. */
    add(
      path: string,
      options?: GitRunOptions & {
        readonly branch?: string;
        readonly from?: string;
        readonly detach?: boolean;
      },
    ): Promise<GitWorktree>;
    list(): Promise<GitWorktree[]>;
    /** Refused if it has changes, unless forced. */
    remove(path: string, options?: GitRunOptions & { readonly force?: boolean }): Promise<void>;
  };
}
