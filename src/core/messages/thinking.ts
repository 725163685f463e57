// How much a model may think: an option of a model, of which tools are told.

/** How much the model may think before it answers, as the Messages API spells it. */
export type ThinkingOption =
  | { readonly type: 'enabled'; readonly budget_tokens: number }
  | { readonly type: 'adaptive' }
  | { readonly type: 'disabled' };
