// How much a model may think. It is an option of the model; tools can read it.

/** Whether the reply contains a summary of the thinking. Left out: the model's default; newer models give none. */
type Display = 'summarized' | 'omitted';

/**
 * How much the model may think before it answers, with the Messages API's names. Not every model accepts every form.
 */
export type ThinkingOption =
  | {
      readonly type: 'enabled';
      readonly budget_tokens: number;
      readonly display?: Display;
    }
  | { readonly type: 'adaptive'; readonly display?: Display }
  /** No thinking before the first call. Claude Sonnet 5.5 has this instead of `disabled`. */
  | { readonly type: 'between_tools' }
  | { readonly type: 'disabled' };
