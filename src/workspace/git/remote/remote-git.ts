// The half of git that talks to servers, as a host, a cell and a tool see it. create-remote-git.ts
// makes it.
import type { GitMergeResult, GitRebaseResult, GitRunOptions, Oid } from '../git.ts';

/** A server's repository under a name of this one. */
export interface GitRemote {
  readonly name: string;
  readonly url: string;
}

/** A ref that a fetch has moved here. */
export interface GitRefUpdate {
  /** `refs/remotes/origin/main`, `refs/tags/v1`. */
  readonly ref: string;
  /** Null for one that is new. */
  readonly before: Oid | null;
  /** Null for one that is gone. */
  readonly after: Oid | null;
}

/** What to clone, and where to. */
export interface GitCloneOptions extends GitRunOptions {
  /** @defaultValue the last name of the address, in the working directory */
  readonly directory?: string;
  /** A branch or a tag. @defaultValue the one that the server calls HEAD */
  readonly branch?: string;
  /** How many commits back. @defaultValue 1 */
  readonly depth?: number;
  /** All commits, all branches and all tags. @defaultValue false */
  readonly full?: boolean;
}

/** Where the clone stands, and what it came to. */
export interface GitCloneResult {
  /** Absolute. */
  readonly directory: string;
  /** Null for a repository without commits, and for a tag. */
  readonly branch: string | null;
  readonly head: Oid | null;
  /** Files that were written. */
  readonly files: number;
  /** What was sent. */
  readonly bytes: number;
}

/** What to ask a server for. */
export interface GitFetchOptions extends GitRunOptions {
  /** @defaultValue that of the current branch, or `origin` */
  readonly remote?: string;
  /** One branch alone. @defaultValue what the remote's config says */
  readonly branch?: string;
  /** The history is cut so many commits back from the newest. */
  readonly depth?: number;
  /** How many more commits to fetch than there are. */
  readonly deepen?: number;
  /** All of the history. @defaultValue false */
  readonly full?: boolean;
  /** All tags too. @defaultValue false */
  readonly tags?: boolean;
  /** Forgets branches that the server doesn't have any more. @defaultValue false */
  readonly prune?: boolean;
}

/** What a fetch has changed here. */
export interface GitFetchResult {
  readonly remote: string;
  readonly updated: readonly GitRefUpdate[];
  /** What was sent. */
  readonly bytes: number;
}

/** What to fetch and merge. */
export interface GitPullOptions extends GitRunOptions {
  readonly remote?: string;
  /** @defaultValue the one that the current branch follows */
  readonly branch?: string;
  /** @defaultValue allow */
  readonly fastForward?: 'allow' | 'only' | 'never';
  /** Puts the branch's own commits on top of what was fetched, in place of a merge. @defaultValue false */
  readonly rebase?: boolean;
  /** With `rebase`: see `LocalGit.rebase`. @defaultValue false */
  readonly noVerify?: boolean;
}

/** What to send to a server, and how. */
export interface GitPushOptions extends GitRunOptions {
  /** @defaultValue that of the branch, or `origin` */
  readonly remote?: string;
  /** A branch or a tag of this repository. @defaultValue the current branch */
  readonly ref?: string;
  /** Its name on the server. @defaultValue the one that it follows, or its own */
  readonly to?: string;
  /** Replaces what the server has, even where that loses commits there. @defaultValue false */
  readonly force?: boolean;
  /** Deletes it on the server instead. @defaultValue false */
  readonly delete?: boolean;
  /** From now on the branch follows this one. @defaultValue true for a branch that follows none */
  readonly setUpstream?: boolean;
}

/** What a push has changed on the server. */
export interface GitPushResult {
  readonly remote: string;
  /** On the server. */
  readonly ref: string;
  readonly before: Oid | null;
  readonly after: Oid | null;
  /** What the server said to the person, such as where to open a pull request. */
  readonly message: string;
}

/**
 * What needs a server. Every command does all or nothing here; what a server took stays there. It
 * rejects as `LocalGit` does, and with `permission-denied` where a host may not be reached or
 * refuses the credentials. It rejects with `tool-failed` where a server refuses or fails, `EIO` for
 * what is damaged, and `limit-exceeded` for what is too much. No error holds a credential.
 */
export interface RemoteGit {
  /** One branch and one commit of it, unless asked for more. */
  clone(url: string, options?: GitCloneOptions): Promise<GitCloneResult>;
  fetch(options?: GitFetchOptions): Promise<GitFetchResult>;
  /** Fetches the branch that the current one follows, and merges it, or rebases onto it. */
  pull(options?: GitPullOptions): Promise<GitMergeResult | GitRebaseResult>;
  push(options?: GitPushOptions): Promise<GitPushResult>;
  readonly remote: {
    list(): Promise<GitRemote[]>;
    add(name: string, url: string): Promise<void>;
    /** Removes the remote, and its branches as they were last seen. */
    remove(name: string): Promise<void>;
    setUrl(name: string, url: string): Promise<void>;
  };
}
