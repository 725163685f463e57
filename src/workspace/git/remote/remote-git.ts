// The commands of git that talk to servers, as hosts, cells and tools see them. Implemented by
// create-remote-git.ts.
import type { GitMergeResult, GitRebaseResult, GitRunOptions, Oid } from '../git.ts';

/** A named address of a server's repository. */
export interface GitRemote {
  readonly name: string;
  readonly url: string;
}

/** A ref that a fetch has changed. */
export interface GitRefUpdate {
  /** `refs/remotes/origin/main`, `refs/tags/v1`. */
  readonly ref: string;
  /** Null for a new ref. */
  readonly before: Oid | null;
  /** Null for a removed ref. */
  readonly after: Oid | null;
}

/** What to clone, and where to. */
export interface GitCloneOptions extends GitRunOptions {
  /** @defaultValue the last part of the address, in the working directory */
  readonly directory?: string;
  /** A branch or tag. @defaultValue the server's HEAD */
  readonly branch?: string;
  /** The number of commits of history. @defaultValue 1 */
  readonly depth?: number;
  /** All commits, all branches and all tags. @defaultValue false */
  readonly full?: boolean;
}

/** The result of a clone. */
export interface GitCloneResult {
  /** An absolute path. */
  readonly directory: string;
  /** Null for a tag, and for a repository without commits. */
  readonly branch: string | null;
  readonly head: Oid | null;
  /** The number of files written. */
  readonly files: number;
  /** The number of bytes received. */
  readonly bytes: number;
}

/** What to ask a server for. */
export interface GitFetchOptions extends GitRunOptions {
  /** @defaultValue the remote of the current branch, or `origin` */
  readonly remote?: string;
  /** Only this branch. @defaultValue as configured for the remote */
  readonly branch?: string;
  /** Truncates the history to so many commits. */
  readonly depth?: number;
  /** Fetches so many more commits of history. */
  readonly deepen?: number;
  /** Fetches the whole history. @defaultValue false */
  readonly full?: boolean;
  /** Fetches all tags as well. @defaultValue false */
  readonly tags?: boolean;
  /** Removes remote-tracking branches that the server no longer has. @defaultValue false */
  readonly prune?: boolean;
}

/** The result of a fetch. */
export interface GitFetchResult {
  readonly remote: string;
  readonly updated: readonly GitRefUpdate[];
  /** The number of bytes received. */
  readonly bytes: number;
}

/** What to fetch and merge. */
export interface GitPullOptions extends GitRunOptions {
  readonly remote?: string;
  /** @defaultValue the branch that the current one tracks */
  readonly branch?: string;
  /** @defaultValue allow */
  readonly fastForward?: 'allow' | 'only' | 'never';
  /**
   * Rebases the branch's own commits onto the fetched ones instead of merging. @defaultValue false
   */
  readonly rebase?: boolean;
  /** With `rebase`: see `LocalGit.rebase`. @defaultValue false */
  readonly noVerify?: boolean;
}

/** What to send to a server, and how. */
export interface GitPushOptions extends GitRunOptions {
  /** @defaultValue the remote of the branch, or `origin` */
  readonly remote?: string;
  /** A local branch or tag. @defaultValue the current branch */
  readonly ref?: string;
  /** Its name on the server. @defaultValue the tracked branch, or the same name */
  readonly to?: string;
  /** Replaces the server's ref, even if commits are lost there. @defaultValue false */
  readonly force?: boolean;
  /** Deletes the ref on the server instead. @defaultValue false */
  readonly delete?: boolean;
  /** Makes the branch track the pushed one. @defaultValue true for a branch that tracks none */
  readonly setUpstream?: boolean;
}

/** The result of a push. */
export interface GitPushResult {
  readonly remote: string;
  /** The full name on the server. */
  readonly ref: string;
  readonly before: Oid | null;
  readonly after: Oid | null;
  /** The server's message to the person, such as where to open a pull request. */
  readonly message: string;
}

/**
 * The commands that need a server. Locally every command takes effect as a whole or not at all;
 * what a server has accepted stays there. Rejects as `LocalGit` does. Also rejects with
 * `permission-denied` if a host may not be reached or refuses the credentials, `tool-failed` if a
 * server refuses or fails, `EIO` for damaged data, and `limit-exceeded` for too much data. Errors
 * never contain credentials.
 */
export interface RemoteGit {
  /** One branch with one commit of history, unless more is requested. */
  clone(url: string, options?: GitCloneOptions): Promise<GitCloneResult>;
  fetch(options?: GitFetchOptions): Promise<GitFetchResult>;
  /** Fetches the branch that the current one tracks, and merges it or rebases onto it. */
  pull(options?: GitPullOptions): Promise<GitMergeResult | GitRebaseResult>;
  push(options?: GitPushOptions): Promise<GitPushResult>;
  readonly remote: {
    list(): Promise<GitRemote[]>;
    add(name: string, url: string): Promise<void>;
    /** Removes the remote and its remote-tracking branches. */
    remove(name: string): Promise<void>;
    setUrl(name: string, url: string): Promise<void>;
  };
}
