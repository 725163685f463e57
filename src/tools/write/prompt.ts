// The description of Write for the model.

export const writeToolName = 'Write';

export const writeDescription = 'Writes a whole file of the workspace, new or in place of the old.';

export const writePrompt = `Write puts a whole file in place, and makes the directories that its path needs.
- A file that is there already must have been Read in this conversation and not have changed since; else the call is refused.
- To change part of a file use Edit: it costs less, and it can't lose what you didn't mean to touch.
- A file that is replaced keeps its encoding and its mode; where all its lines end in "\\r\\n", your "\\n" become "\\r\\n" too.
- Make new files only where the task needs them.`;
