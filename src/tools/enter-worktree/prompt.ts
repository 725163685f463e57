// The description of EnterWorktree for the model.

export const enterWorktreeToolName = 'EnterWorktree';

export const enterWorktreeDescription =
  'Makes a git work tree on a branch of its own, and moves you there: what you change next leaves the files of the repository as they are.';

export const enterWorktreePrompt = `Call EnterWorktree when the user asks for a work tree, or wants work kept apart from the files as they stand. For an ordinary task or a branch alone, don't.
- It makes .worktrees/<name> in the repository's root, on the new branch worktree-<name>, with the files of the last commit. What isn't committed stays behind.
- From your next message on, relative paths and cells work in it. The rules of the session go on to hold, and files that you may not read aren't in it.
- With path you work in a work tree that is there already.
- To end, commit what is to stay and call ExitWorktree.`;
