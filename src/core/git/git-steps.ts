// What the tools of work trees ask of git in a tool worker, beside the commands of git-commands.ts: each step is whole
// or changes nothing. No code of a cell may ask for one. Asked by agent/session/files/worktrees.ts.

/** The name in the table of workers. No tool can have it: a tool's name has no colon. */
export const gitWorkName = 'rockpool:git';

/** The steps by their names. */
export const gitSteps = {
  enter: 'session-worktree.enter',
  leave: 'session-worktree.leave',
} as const;

/** A new one on a new branch, or one that is there. */
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
  /** The branch that was made for it. */
  readonly branch?: string;
  readonly discard: boolean;
}

/** What was lost with it. */
export interface RemovedWorktree {
  readonly files: number;
  readonly commits: number;
}
