// The description of TaskList for the model.

export const taskListToolName = 'TaskList';

export const taskListDescription = 'Shows the task list of the session.';

export const taskListPrompt =
  'TaskList shows each task in a line: its id, its status, whose it is, and what it waits for. Use it to find what can be done next: a pending task without an owner that waits for nothing.';
