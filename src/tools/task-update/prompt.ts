// The description of TaskUpdate for the model.

export const taskUpdateToolName = 'TaskUpdate';

export const taskUpdateDescription =
  'Changes a task of the task list: its status, owner, text or what it waits for; or deletes it.';

export const taskUpdatePrompt = `TaskUpdate changes what you name and leaves the rest.
- Mark a task in_progress when you begin with it, and completed as soon as it is wholly done, not before: with tests that fail, or a part left out, it stays in_progress.
- status "deleted" takes it off the list.
- addBlockedBy names tasks that must be done before this one, addBlocks those that wait for it. A task can't wait for itself, not even by a detour.
- owner is the agent that does it; an empty one: nobody. A key of metadata that is null is removed.`;
