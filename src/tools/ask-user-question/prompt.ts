// The description of AskUserQuestion for the model. Every first request has it, so it only says
// what the schema doesn't.

export const askUserQuestionToolName = 'AskUserQuestion';

export const askUserQuestionDescription =
  'Asks the user what only they can decide, and waits for their answer.';

export const askUserQuestionPrompt =
  'AskUserQuestion is for choices that neither the task nor the files settle; not for permission. Put the option that you recommend first, and say so in its label.';

/** The result when no person is there. */
export const nobodyAnswers =
  'Nobody is here to answer. Decide by yourself, go on, and say in your answer what you assumed.';
