// The caller of a call. A call of the model counts as the user's; other principals may do less.

/**
 * `agent`: the model. `code`: code that the model wrote and a tool runs. `tool`: a tool's `call`, by its `canUseTool`
 * or `callTool`. `remote`: the same for a tool of a server, and for everything that acts on behalf of the server.
 * `page`: the browser's agent, to which the page has offered tools; it has the rights of `remote`.
 */
export type Principal =
  | { readonly kind: 'agent' }
  | { readonly kind: 'code'; readonly toolName: string }
  | { readonly kind: 'tool'; readonly toolName: string }
  | { readonly kind: 'remote'; readonly serverName: string }
  | { readonly kind: 'page' };

/** True if the principal is neither the agent nor a part of it. */
export function isForeign({ kind }: Principal): boolean {
  return kind === 'remote' || kind === 'page';
}
