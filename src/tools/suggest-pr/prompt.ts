// The description of SuggestPr for the model.

export const suggestPrToolName = 'SuggestPr';

export const suggestPrDescription =
  'Proposes a pull request: a branch that was pushed, a title and a body. A person decides whether it is made.';

export const suggestPrPrompt =
  'SuggestPr proposes that a branch be merged. Push the branch first (git.push in a cell). The user sees title, body and diff, and says whether the pull request is made. Say in the body what changes and why, and how it was tested; claim nothing that you have not done.';
