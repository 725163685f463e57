// The description of TaskGet for the model.

export const taskGetToolName = 'TaskGet';

export const taskGetDescription = 'Gives one task of the task list, with its whole description.';

export const taskGetPrompt =
  'TaskGet shows a task by its id: what is to be done, its status, and which tasks it waits for or holds up. Use it before you begin with a task that somebody else has written.';
