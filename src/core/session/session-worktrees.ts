// The port by which tools enter and leave work trees. agent/session/files/worktrees.ts implements it; EnterWorktree
// and ExitWorktree use it.

/** The work tree that the agent works in. */
export interface EnteredWorktree {
  /** Absolute and real. */
  readonly path: string;
  /** Left out if the work tree is on no branch, or isn't git's. */
  readonly branch?: string;
  /** The directory where the agent worked before, and to which it returns. */
  readonly from: string;
  /** `git`: git made it for the agent. `hook`: the host made it. `found`: it existed before, and is never removed. */
  readonly origin: 'git' | 'hook' | 'found';
}

/** How the agent left its work tree. */
export interface LeftWorktree extends Pick<EnteredWorktree, 'path' | 'branch' | 'from'> {
  readonly isRemoved: boolean;
  /** For a removed work tree, if git knows: how many files differed from the last commit, or were never committed. */
  readonly files?: number;
  /** For a removed work tree, if git knows: how many commits are on no other branch. */
  readonly commits?: number;
}

/** The work trees for one call. Each method acts at most once, also if its call is resumed. */
export interface CallWorktrees {
  /**
   * Creates a work tree with that name, or enters the one at the path. The agent's next calls work in it. Without a
   * name and a path, a name is generated. Rejects with an SdkError that says what to do instead; then nothing has
   * changed.
   */
  enter(wanted: { readonly name?: string; readonly path?: string }): Promise<EnteredWorktree>;
  /**
   * Returns to the directory where the agent was. Rejects as `enter` does, and if `remove` would lose work without
   * `discard`.
   */
  leave(how: { readonly remove: boolean; readonly discard: boolean }): Promise<LeftWorktree>;
}
