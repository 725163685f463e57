// The description of CronList for the model.

export const cronListToolName = 'CronList';

export const cronListDescription = 'Shows what is scheduled, and what time it is.';

export const cronListPrompt =
  "CronList shows each job of CronCreate in a line: its id, when it runs, and its prompt. It also says what time it is by the user's clocks.";
