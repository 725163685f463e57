// The description of EnterPlanMode for the model.

export const enterPlanModeToolName = 'EnterPlanMode';

export const enterPlanModeDescription =
  'Begins plan mode, if the user agrees: you look around and write a plan, and nothing else is changed before the user accepts it.';

export const enterPlanModePrompt = `EnterPlanMode is for work where a wrong beginning would cost much: a new feature, a change of many files, several ways that differ for the user, or a task that isn't clear yet. Call it before you change anything.
Don't call it for a small change, for one that the user has described in full, or to answer a question.`;
