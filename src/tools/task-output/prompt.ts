// The description of TaskOutput for the model.

export const taskOutputToolName = 'TaskOutput';

export const taskOutputDescription =
  'Gives the status of a task in the background, and the end of what it has printed.';

export const taskOutputPrompt = `TaskOutput waits until a background task has ended, or until timeout is over, then shows its status and the end of its output.
- block: false shows how it stands without waiting.
- You are told of a task's end in any case: wait only where you can't go on without it.
- More of the output is in its file: Read it.`;
