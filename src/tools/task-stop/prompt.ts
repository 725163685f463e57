// The description of TaskStop for the model.

export const taskStopToolName = 'TaskStop';

export const taskStopDescription =
  'Stops a task that runs in the background, by its id. What the task changed is dropped.';

export const taskStopPrompt =
  'TaskStop ends a background task by the task_id that starting it gave. Nothing that it changed is kept; what it printed stays in its output file.';
