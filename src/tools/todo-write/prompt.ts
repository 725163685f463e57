// The description of TodoWrite for the model.

export const todoWriteToolName = 'TodoWrite';

export const todoWriteDescription = 'Writes the list of what is to be done in this session.';

export const todoWritePrompt = `TodoWrite replaces the whole list of what is to be done, which the user sees.
- Use it for work of three steps or more, or for several wishes of the user; for less just do the work.
- content is an order ("Run the tests"), activeForm the same while it is done ("Running the tests").
- Write the list before you begin. Mark one entry in_progress when you begin with it, and completed as soon as it is wholly done, not before.
- Each call gives all entries: one that is left out is off the list.`;
