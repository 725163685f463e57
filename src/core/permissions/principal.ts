// Who asks for a call. The model's own calls count as the user's; other principals may do less.

/**
 * `agent`: the model. `code`: code of the model's that a tool runs. `tool`: a tool's own `call`, by its
 * `canUseTool` or `callTool`. `remote`: such a tool that is a server's, and whatever does something for it. `page`: the
 * browser's agent, to which the page has offered tools; it may do as much as `remote`.
 */
export type Principal =
  | { readonly kind: 'agent' }
  | { readonly kind: 'code'; readonly toolName: string }
  | { readonly kind: 'tool'; readonly toolName: string }
  | { readonly kind: 'remote'; readonly serverName: string }
  | { readonly kind: 'page' };

/** Is the principal someone other than the agent or a part of it? */
export function isForeign({ kind }: Principal): boolean {
  return kind === 'remote' || kind === 'page';
}
