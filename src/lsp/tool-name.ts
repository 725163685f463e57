// The name by which hosts know the tool that asks language servers: they give it its worker half.

export const lspToolName = 'LSP';
