// The name of the tool LSP, by which hosts register its worker half.

export const lspToolName = 'LSP';
