// The description of CronCreate for the model.

export const cronCreateToolName = 'CronCreate';

export const cronCreateDescription =
  'Schedules a prompt of yours for later: once, or again and again.';

export const cronCreatePrompt = `CronCreate schedules a prompt. When it is due and the session rests, a turn begins in which you read it; while a turn runs it waits. What is missed while the session is closed comes once, as soon as it is open again.
- Use it where the user asks for something at a time, or again and again. For what you only wait for, don't.
- cron has five fields in the user's local time. CronList says what time that is now.
- Where the time doesn't matter to the minute, choose an odd one: not everything at minute 0.
- With recurring: false it runs once. A recurring job ends after 7 days with its last run: tell the user so.
- Without durable it ends when the session is closed. Use durable: true where the user counts on it later.
- Write the prompt so that it says all: what to do, where, and when there is nothing more to do. Each run costs a request with the whole conversation.`;
