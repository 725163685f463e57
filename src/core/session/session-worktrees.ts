// What a tool may ask of the work trees of its session. agent/session/files/worktrees.ts keeps the promises; EnterWorktree
// and ExitWorktree are the users.

/** The work tree that the agent works in. */
export interface EnteredWorktree {
  /** Absolute and real. */
  readonly path: string;
  /** Left out where it is on none, or isn't git's. */
  readonly branch?: string;
  /** Where the agent worked before, and goes back to. */
  readonly from: string;
  /** `git`: made for it. `hook`: by the host. `found`: it was there before, and is never removed. */
  readonly origin: 'git' | 'hook' | 'found';
}

/** How the agent left its work tree. */
export interface LeftWorktree extends Pick<EnteredWorktree, 'path' | 'branch' | 'from'> {
  readonly isRemoved: boolean;
  /** For a removed work tree, if git knows: how many files differed from the last commit, or were in none. */
  readonly files?: number;
  /** The same: commits that are on no other branch. */
  readonly commits?: number;
}

/** The work trees for one call. Each method acts at most once, also if its call is taken up again. */
export interface CallWorktrees {
  /**
   * Makes a work tree by that name, or enters the one at the path, and moves the agent there: its next calls work in
   * it. Neither: a name is made up. Rejects with an SdkError that says what to do instead; nothing has changed then.
   */
  enter(wanted: { readonly name?: string; readonly path?: string }): Promise<EnteredWorktree>;
  /** Back to where the agent was. Rejects as `enter`, also where `remove` would lose something that isn't given up. */
  leave(how: { readonly remove: boolean; readonly discard: boolean }): Promise<LeftWorktree>;
}
