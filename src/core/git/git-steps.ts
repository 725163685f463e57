// The git operations for the tools of work trees, in a tool worker. They aren't commands of git-commands.ts, so code
// of a cell can't call them. Each step is done completely or changes nothing. Used by
// agent/session/files/worktrees.ts.

/** The name in the table of workers. No tool can have it: a tool's name has no colon. */
export const gitWorkName = 'rockpool:git';

/** The steps by their names. */
export const gitSteps = {
  enter: 'session-worktree.enter',
  leave: 'session-worktree.leave',
} as const;

/** A new work tree on a new branch, or an existing one. */
export type WantedWorktree =
  { readonly name: string; readonly branch: string } | { readonly path: string };

/** `of`: the root of the repository's first work tree. */
export interface StepWorktree {
  readonly path: string;
  readonly branch?: string;
  readonly of: string;
}

export interface DoomedWorktree {
  readonly path: string;
  /** The branch that was created for the work tree. */
  readonly branch?: string;
  readonly discard: boolean;
}

/** What was lost with the removed work tree. */
export interface RemovedWorktree {
  readonly files: number;
  readonly commits: number;
}
