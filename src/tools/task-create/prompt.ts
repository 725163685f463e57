// The description of TaskCreate for the model.

export const taskCreateToolName = 'TaskCreate';

export const taskCreateDescription = 'Puts a task on the task list of the session.';

export const taskCreatePrompt = `TaskCreate adds one task to the session's list, as pending, and gives its id. All agents of the session see the same list.
- Use the list for work of three steps or more, or of several wishes of the user; for less just do the work.
- subject is a short order ("Mend the parser"), activeForm what is shown while it is done ("Mending the parser"); description says all that somebody who knows nothing of it needs.
- Put everything on it before you begin, then keep it true with TaskUpdate.`;
