// What the model is told about ReadMcpResourceDirTool.

export const readMcpResourceDirToolName = 'ReadMcpResourceDirTool';

export const readMcpResourceDirDescription =
  'Lists what is directly below one directory among the resources of a connected MCP server.';

export const readMcpResourceDirPrompt =
  'Few servers have directories. Where one has none, list its resources with ListMcpResourcesTool.';
