// The description of ExitWorktree for the model.

export const exitWorktreeToolName = 'ExitWorktree';

export const exitWorktreeDescription =
  'Leaves the work tree that you are in, and takes you back to where you were: the work tree stays, or is removed.';

export const exitWorktreePrompt = `ExitWorktree ends what EnterWorktree began. Call it when the work there is done, or the user asks.
- keep leaves the work tree and its branch: for work that goes on later, or that the user wants to look at.
- remove takes both away. It is refused, with the counts, while files there aren't committed or commits are on no other branch: commit and merge them first. Give discard_changes only when the user has said that they may be lost.
- A work tree that was there before you entered it can only be kept.`;
