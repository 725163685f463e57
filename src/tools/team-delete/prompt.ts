// The description of TeamDelete for the model.

export const teamDeleteToolName = 'TeamDelete';

export const teamDeleteDescription =
  'Deletes the team. It says which members still run and which tasks are still undone; neither is stopped nor deleted.';

export const teamDeletePrompt =
  'TeamDelete ends the team when its work is done. Members that run go on: stop those that you need no more by TaskStop.';
