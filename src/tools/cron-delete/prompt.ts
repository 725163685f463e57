// The description of CronDelete for the model.

export const cronDeleteToolName = 'CronDelete';

export const cronDeleteDescription = 'Takes a scheduled prompt back.';

export const cronDeletePrompt =
  'CronDelete ends a job of CronCreate: it runs no more. Use it when the user asks for it, and when a recurring job has nothing left to do.';
