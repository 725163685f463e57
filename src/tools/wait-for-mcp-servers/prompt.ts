// The description of WaitForMcpServers for the model.

export const waitForMcpServersToolName = 'WaitForMcpServers';

export const waitForMcpServersDescription =
  'Waits until MCP servers that are being connected are there, or have failed.';

export const waitForMcpServersPrompt =
  'Use WaitForMcpServers only when the task needs the tools of a server that is still being connected. What a server offers is announced with the next message, once it is there. A server that has failed or wants a login does not come by waiting: tell the user.';
