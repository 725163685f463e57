// The interface of git for hosts, cells and tools: one object with git's own names, over one draft's files.
// create-git.ts implements the local half, and remote/ the half that talks to servers.
import type { FileChange } from '../../core/change-set.ts';

/** A full object id: 40 hexadecimal digits. */
export type Oid = string;

/** Who wrote something, and when. */
export interface GitPerson {
  readonly name: string;
  readonly email: string;
}

/** A person at a moment, as a commit has its author and its committer. */
export interface GitSignature extends GitPerson {
  /** Seconds since the epoch. */
  readonly timestamp: number;
  /** Minutes from local time to UTC, as `Date.getTimezoneOffset` has them: -120 for +0200. */
  readonly timezoneOffset: number;
}

/** A commit, parsed. */
export interface GitCommit {
  readonly oid: Oid;
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  readonly author: GitSignature;
  readonly committer: GitSignature;
  /** The message as it was given, with its line feed at the end. */
  readonly message: string;
}

/** What is told while something long runs. */
export interface GitProgress {
  /** `reading files`, `checking out`, `receiving`, … */
  readonly phase: string;
  readonly done: number;
  /** Left out while it isn't known. */
  readonly total?: number;
}

/** What every command that may take long takes. */
export interface GitRunOptions {
  /** Ends the command with `aborted`; the files are then as they were before it. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: GitProgress) => void;
}

/**
 * A letter of `git status --porcelain`. It says added, deleted, modified, renamed, another type (a
 * file that became a link), unmerged, untracked (`?`) or ignored (`!`). A blank is for no
 * difference.
 */
export type GitStatusCode = 'A' | 'D' | 'M' | 'R' | 'T' | 'U' | '?' | '!' | ' ';

/** One path that isn't the same in the last commit, the index and the work tree. */
export interface GitFileStatus {
  /** From the work tree's root. An untracked directory ends in `/`, as git shows it. */
  readonly path: string;
  /** Where the last commit has it: with `R` for `index` alone. Its content may have changed, too. */
  readonly renamedFrom?: string;
  /** The last commit against the index. */
  readonly index: GitStatusCode;
  /** The index against the files. */
  readonly worktree: GitStatusCode;
}

/** An operation that stopped at conflicts and waits for `commit` (a rebase for `continue`) or `abort`. */
export type GitOperation = 'merge' | 'cherry-pick' | 'revert' | 'rebase';

/** `git status`. */
export interface GitStatus {
  /** Null where HEAD is detached. */
  readonly branch: string | null;
  /** Null before the first commit. */
  readonly head: Oid | null;
  readonly operation: GitOperation | null;
  /** In the order of the paths; empty when all is clean. */
  readonly files: readonly GitFileStatus[];
}

/** A file in two trees. */
export interface GitFileDiff extends FileChange {
  /**
   * Where it stood before: found as git finds renames, among the paths that are compared. Left out: at the same
   * path, or nowhere.
   */
  readonly renamedFrom?: string;
  readonly before: GitTreeEntry | null;
  readonly after: GitTreeEntry | null;
}

/** What a tree or the index has at a path. */
export interface GitTreeEntry {
  /** `0o100644`, `0o100755`, `0o120000` for a link, `0o160000` for a submodule. */
  readonly mode: number;
  readonly oid: Oid;
}

/** `git show` of a commit. */
export interface GitShow extends GitCommit {
  /** Against the first parent. */
  readonly files: readonly GitFileDiff[];
}

/** A commit that was made. */
export interface GitCommitResult {
  readonly oid: Oid;
  /** Null where HEAD is detached. */
  readonly branch: string | null;
  /** How many paths it changed. */
  readonly files: number;
  /** The message of the commit; if none was given, the one that a merge, pick or revert had written. */
  readonly message: string;
}

/** What merging, picking or reverting came to. */
export type GitMergeResult =
  | { readonly type: 'up-to-date' }
  | { readonly type: 'fast-forward' | 'merged'; readonly oid: Oid }
  /** The files hold markers; resolve them, `add` and `commit`, or `abort`. */
  | { readonly type: 'conflict'; readonly paths: readonly string[] };

/** What a rebase has come to. */
export type GitRebaseResult =
  | { readonly type: 'up-to-date' }
  /** `oid`: where the branch is now. */
  | { readonly type: 'fast-forward' | 'rebased'; readonly oid: Oid }
  /** The files hold markers; resolve them, `add` and `continue`, or `abort`. */
  | {
      readonly type: 'conflict';
      readonly paths: readonly string[];
      /** The commit that conflicts, as it was. */
      readonly commit: Oid;
      /** How many come after it. */
      readonly remaining: number;
    };

/** A branch, here or as a remote had it. */
export interface GitBranch {
  /** `main`, `origin/main`. */
  readonly name: string;
  /** Null for a branch that has no commit yet. */
  readonly oid: Oid | null;
  readonly isCurrent: boolean;
  readonly isRemote: boolean;
}

/** A name for an object that stays. */
export interface GitTag {
  readonly name: string;
  /** The object of an annotated tag, otherwise the same as `target`. */
  readonly oid: Oid;
  /** What it names, an annotated tag's own object peeled off. */
  readonly target: Oid;
  /** The message of an annotated tag. */
  readonly message?: string;
}

/** Index and files that were put aside. */
export interface GitStash {
  /** 0 is the newest. */
  readonly index: number;
  readonly oid: Oid;
  readonly message: string;
}

/** A work tree of the repository; the first is the main one. */
export interface GitWorktree {
  readonly path: string;
  readonly head: Oid | null;
  /** Null where HEAD is detached. */
  readonly branch: string | null;
}

/** How `add` takes files. */
export interface GitAddOptions extends GitRunOptions {
  /** Ignored files too. @defaultValue false */
  readonly force?: boolean;
  /** Only what is tracked already: `git add -u`. @defaultValue false */
  readonly update?: boolean;
}

/** What `restore` brings back, and from where. */
export interface GitRestoreOptions extends GitRunOptions {
  /** Where from. @defaultValue the index, or HEAD with `staged` */
  readonly source?: string;
  /** Restores the index. @defaultValue false */
  readonly staged?: boolean;
  /** Restores the files. @defaultValue true, unless `staged` is asked for alone */
  readonly worktree?: boolean;
}

/** How far back `reset` goes, and what it takes along. */
export interface GitResetOptions extends GitRunOptions {
  /** @defaultValue HEAD */
  readonly to?: string;
  /** `soft` moves the branch alone, `mixed` the index too, `hard` the files too. @defaultValue mixed */
  readonly mode?: 'soft' | 'mixed' | 'hard';
}

/** What `commit` writes, and who wrote it. */
export interface GitCommitOptions extends GitRunOptions {
  /** @defaultValue what a merge, pick or revert that waits for its commit has written */
  readonly message?: string;
  /** All tracked files first: `git commit -a`. @defaultValue false */
  readonly all?: boolean;
  /** In place of the last commit. @defaultValue false */
  readonly amend?: boolean;
  /** Commits even if nothing has changed. @defaultValue false */
  readonly allowEmpty?: boolean;
  /** @defaultValue the repository's `user.name` and `user.email`, or the host's person */
  readonly author?: GitPerson;
  /** Commits although the repository has hooks, which don't run here. @defaultValue false: it is refused */
  readonly noVerify?: boolean;
}

/** Which commits `log` lists. */
export interface GitLogOptions extends GitRunOptions {
  /** Commits from here back. @defaultValue HEAD */
  readonly ref?: string;
  /** From all branches, tags and HEAD. @defaultValue false */
  readonly all?: boolean;
  /** @defaultValue all */
  readonly maxCount?: number;
  /**
   * Only commits that changed one of these paths. Of a merge that has them as one of its parents has, that parent's
   * history alone is told, as in `git log`.
   */
  readonly paths?: string | readonly string[];
}

/** Which two states `diff` compares. */
export interface GitDiffOptions extends GitRunOptions {
  /** A commit or a tree. @defaultValue the index, or HEAD with `staged` */
  readonly from?: string;
  /** A commit or a tree. @defaultValue the files, or the index with `staged` */
  readonly to?: string;
  /** HEAD against the index. @defaultValue false */
  readonly staged?: boolean;
  /** Only these, and what is below them. */
  readonly paths?: string | readonly string[];
}

/** Where `switch` goes, and what becomes of changes. */
export interface GitSwitchOptions extends GitRunOptions {
  /** Makes the branch first. @defaultValue false */
  readonly create?: boolean;
  /** Where a new branch begins. @defaultValue HEAD */
  readonly from?: string;
  /** Stands on the commit itself, on no branch. @defaultValue false */
  readonly detach?: boolean;
  /** Changes that the switch would overwrite are lost. @defaultValue false: it is refused */
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
  /** Rebases although the repository has a hook for it, which doesn't run here. @defaultValue false: it is refused */
  readonly noVerify?: boolean;
}

/**
 * The half of git that needs no server. Paths that it takes are relative to the work tree's root or
 * absolute, and a directory means all below it. Paths that it gives are relative to the root.
 *
 * Every command changes all that it says or nothing. It rejects with an SdkError that says what to
 * do. The code is `bad-usage` for what isn't possible now, and `invalid-input` for impossible names
 * and arguments. It is `ENOENT` without a repository, `unsupported-environment` for what this git
 * lacks, and `aborted`. A file that the view's rules deny is left alone: it is in no result, and no
 * command changes, adds or removes it.
 */
export interface LocalGit {
  /** Makes a repository; one that is there stays as it is. `branch` is the first one's name. */
  init(options?: { readonly branch?: string }): Promise<{ readonly gitDirectory: string }>;
  status(options?: GitRunOptions & { readonly ignored?: boolean }): Promise<GitStatus>;
  /** `.` for all. @throws SdkError `ENOENT` for a path that neither a file nor the index has. */
  add(paths: string | readonly string[], options?: GitAddOptions): Promise<void>;
  restore(paths: string | readonly string[], options?: GitRestoreOptions): Promise<void>;
  reset(options?: GitResetOptions): Promise<void>;
  commit(options?: GitCommitOptions): Promise<GitCommitResult>;
  /** Newest first, by the committers' dates. */
  log(options?: GitLogOptions): Promise<GitCommit[]>;
  /** @defaultValue HEAD */
  show(ref?: string, options?: GitRunOptions): Promise<GitShow>;
  /** The bytes of a file in a commit, or in the index with an empty `ref`. */
  readFile(ref: string, path: string): Promise<Uint8Array>;
  diff(options?: GitDiffOptions): Promise<GitFileDiff[]>;
  readonly branch: {
    list(options?: { readonly remotes?: boolean }): Promise<GitBranch[]>;
    create(
      name: string,
      options?: { readonly from?: string; readonly force?: boolean },
    ): Promise<void>;
    /** Refused for what isn't merged into HEAD, unless forced. */
    delete(name: string, options?: { readonly force?: boolean }): Promise<void>;
    rename(from: string, to: string): Promise<void>;
  };
  switch(name: string, options?: GitSwitchOptions): Promise<void>;
  merge(ref: string, options?: GitMergeOptions): Promise<GitMergeResult>;
  cherryPick(ref: string, options?: GitRunOptions): Promise<GitMergeResult>;
  revert(ref: string, options?: GitRunOptions): Promise<GitMergeResult>;
  /**
   * The commits of this branch that `upstream` hasn't, once more on top of it. Merges are left out,
   * and so are those that it has by commits of its own. HEAD is detached while it waits.
   */
  rebase(upstream: string, options?: GitRebaseOptions): Promise<GitRebaseResult>;
  /** Goes on with a rebase that stopped at conflicts. `skip`: without the commit that conflicts. */
  continue(options?: GitRunOptions & { readonly skip?: boolean }): Promise<GitRebaseResult>;
  /**
   * Goes back to before the merge, rebase, pick or revert that stopped at conflicts. Refused where another file was
   * changed since. A stash's can't be aborted.
   */
  abort(options?: GitRunOptions): Promise<void>;
  readonly stash: {
    /** Null where there was nothing to stash. */
    push(
      options?: GitRunOptions & { readonly message?: string; readonly untracked?: boolean },
    ): Promise<GitStash | null>;
    list(): Promise<GitStash[]>;
    apply(index?: number, options?: GitRunOptions): Promise<GitMergeResult>;
    /** Applies the stash, and drops it unless it conflicted. */
    pop(index?: number, options?: GitRunOptions): Promise<GitMergeResult>;
    drop(index?: number): Promise<void>;
  };
  readonly tag: {
    list(): Promise<GitTag[]>;
    /** Annotated where a message is given. */
    create(
      name: string,
      options?: { readonly ref?: string; readonly message?: string; readonly force?: boolean },
    ): Promise<void>;
    delete(name: string): Promise<void>;
  };
  readonly worktree: {
    /** A new branch named like the directory's last part, unless `branch` names one. */
    add(
      path: string,
      options?: GitRunOptions & {
        readonly branch?: string;
        readonly from?: string;
        readonly detach?: boolean;
      },
    ): Promise<GitWorktree>;
    list(): Promise<GitWorktree[]>;
    /** Refused while it holds changes, unless forced. */
    remove(path: string, options?: GitRunOptions & { readonly force?: boolean }): Promise<void>;
  };
}
