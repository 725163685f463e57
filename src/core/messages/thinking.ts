// How much a model may think: an option of a model, of which tools are told.

/** Whether the thinking's text is given, in summary. Left out: as the model has it; newer ones give none. */
type Display = 'summarized' | 'omitted';

/** How much the model may think before it answers, as the Messages API spells it. Which of them a model takes differs. */
export type ThinkingOption =
  | {
      readonly type: 'enabled';
      readonly budget_tokens: number;
      readonly display?: Display;
    }
  | { readonly type: 'adaptive'; readonly display?: Display }
  /** Not before the first call: what Claude Sonnet 5.5 has in the place of `disabled`. */
  | { readonly type: 'between_tools' }
  | { readonly type: 'disabled' };
