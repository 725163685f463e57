// The description of ListMcpResourcesTool for the model.

export const listMcpResourcesToolName = 'ListMcpResourcesTool';

export const listMcpResourcesDescription =
  'Lists what the connected MCP servers offer to read: documents, records, pictures. ReadMcpResourceTool reads them.';

export const listMcpResourcesPrompt =
  'A uri with a part in braces, such as notes://{id}, is a template: fill it in before you read it. To learn what may stand there, give complete: the template, the name of the part, and what you know of its value; the answer lists the addresses that it comes to.';
