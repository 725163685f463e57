// The key of the state that says which work tree an agent is in. branch.ts notes it with each request, and
// session/files/work-place.ts reads it.
export const worktreeState = 'worktree';
