// The description of ReadMcpResourceDirTool for the model.

export const readMcpResourceDirToolName = 'ReadMcpResourceDirTool';

export const readMcpResourceDirDescription =
  'Lists what is directly below one directory among the resources of a connected MCP server.';

export const readMcpResourceDirPrompt =
  'Few servers have directories. Where one has none, list its resources with ListMcpResourcesTool.';
