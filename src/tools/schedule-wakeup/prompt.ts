// The description of ScheduleWakeup for the model.

export const scheduleWakeupToolName = 'ScheduleWakeup';

export const scheduleWakeupDescription = 'Wakes you once, in a minute to an hour.';

export const scheduleWakeupPrompt = `ScheduleWakeup begins a turn for you when so much time is over and the session rests. Use it to look again at something that takes its time, where nothing tells you of its end.
- One wake-up is set at a time: another call takes its place, and stop: true cancels it. If you want to go on being woken, call it again in each of those turns.
- Choose the time by what you wait for: each wake-up costs a request with the whole conversation. Background tasks tell you of their end by themselves.
- For a time of day, for more than an hour, or for what should outlive a close of the session use CronCreate.`;
