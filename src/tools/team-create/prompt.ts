// The description of TeamCreate for the model.

export const teamCreateToolName = 'TeamCreate';

export const teamCreateDescription =
  'Makes a team: the agents that you begin with a name from now on are its members, and all of them see one task list.';

export const teamCreatePrompt =
  'TeamCreate is for work that several agents share. Put the work on the task list, begin each member by Agent with a name, and write to one by its name or to all by SendMessage with to: "*".';
