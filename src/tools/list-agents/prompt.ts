// The description of ListAgents for the model.

export const listAgentsToolName = 'ListAgents';

export const listAgentsDescription =
  'Lists the agents that were begun in this session: id, name, kind, task, and whether it runs.';

export const listAgentsPrompt =
  'ListAgents shows whom you can write to by SendMessage, and whom TaskStop would stop. You are told of their ends anyway: do not call it to wait.';
