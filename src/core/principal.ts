// Who asks for a call. The model's own calls are made in the user's name; what asks from elsewhere is
// held to less.

/**
 * `agent`: the model. `code`: code of the model's that a tool runs. `tool`: a tool's own `call`, by its
 * `canUseTool` or `callTool`. `remote`: such a tool that is a server's, and whatever does something for it. Sub-agents join when there are any.
 */
export type Principal =
  | { readonly kind: 'agent' }
  | { readonly kind: 'code'; readonly toolName: string }
  | { readonly kind: 'tool'; readonly toolName: string }
  | { readonly kind: 'remote'; readonly serverName: string };
