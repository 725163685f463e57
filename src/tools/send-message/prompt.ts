// The description of SendMessage for the model.

export const sendMessageToolName = 'SendMessage';

export const sendMessageDescription =
  'Writes to another agent, by its id or its name. One that runs reads it with its next request; one at rest goes on with its own conversation.';

export const sendMessagePrompt =
  'SendMessage reaches the agents that Agent has begun, by the agentId or the name that you gave. "main" is the agent that speaks with the user. Write to an agent that has reported already when its work is to go on: it still knows all that it has read.';
