// What the model is told about AskUserQuestion. Each word is in every first request: it says what the schema doesn't.

export const askUserQuestionToolName = 'AskUserQuestion';

export const askUserQuestionDescription =
  'Asks the user what only they can decide, and waits for their answer.';

export const askUserQuestionPrompt =
  'AskUserQuestion is for choices that neither the task nor the files settle; not for permission. Put the option that you recommend first, and say so in its label.';

/** Without a person. */
export const nobodyAnswers =
  'Nobody is here to answer. Decide by yourself, go on, and say in your answer what you assumed.';
