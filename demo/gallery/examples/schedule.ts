// Calls of the tools by which prompts are scheduled.
import type { CronCreateInput, CronCreateOutput } from '../../../src/tools/cron-create/schema.ts';
import type { CronDeleteInput, CronDeleteOutput } from '../../../src/tools/cron-delete/schema.ts';
import type { CronListInput, CronListOutput } from '../../../src/tools/cron-list/schema.ts';
import type {
  ScheduleWakeupInput,
  ScheduleWakeupOutput,
} from '../../../src/tools/schedule-wakeup/schema.ts';
import type { ToolExample } from '../tool-example.ts';

const daily = {
  id: '5b1c09ae',
  humanSchedule: 'from Monday to Friday at 09:03',
  recurring: true,
  durable: true,
  nextFireAt: Date.UTC(2026, 10, 27, 8, 3),
  timeZone: 'Europe/Berlin',
};

const once = {
  id: 'c04e7721',
  humanSchedule: 'on 27 November at 14:30',
  recurring: false,
  durable: false,
  nextFireAt: Date.UTC(2026, 10, 27, 13, 30),
  timeZone: 'Europe/Berlin',
};

const prompt = 'Look at the open issues of ann/tides, and tell the user of those that are new.';
const reminder = 'Remind the user to publish version 2 of tides.';

export const cronCreateExample: ToolExample<CronCreateInput, CronCreateOutput> = {
  input: { cron: '3 9 * * 1-5', prompt, durable: true },
  output: daily,
  failure:
    '"61 * * * *" is no schedule. Invalid value for minute: 61. The fields are minute (0-59), hour (0-23), day of month (1-31), month (1-12), day of week (0-6).',
  variants: {
    'a job that runs once': {
      input: { cron: '30 14 27 11 *', prompt: reminder, recurring: false },
      output: once,
    },
  },
};

export const cronDeleteExample: ToolExample<CronDeleteInput, CronDeleteOutput> = {
  input: { id: daily.id },
  output: { id: daily.id },
  failure: 'No job 5b1c09ae is scheduled: it may have run, or have ended. There is none.',
};

const now = Date.UTC(2026, 10, 26, 21, 40);

export const cronListExample: ToolExample<CronListInput, CronListOutput> = {
  input: {},
  output: {
    jobs: [
      { ...daily, cron: '3 9 * * 1-5', prompt },
      { ...once, cron: '30 14 27 11 *', prompt: reminder },
    ],
    now,
    timeZone: 'Europe/Berlin',
  },
  failure: 'This query schedules nothing: see triggers.',
  variants: { 'nothing that is scheduled': { output: { jobs: [], now, timeZone: 'UTC' } } },
};

const wakeup = { delaySeconds: 600, reason: 'The release of tides builds.' };

export const scheduleWakeupExample: ToolExample<ScheduleWakeupInput, ScheduleWakeupOutput> = {
  input: wakeup,
  output: { scheduledFor: now + 600_000, clampedDelaySeconds: 600, wasClamped: false },
  failure: 'Say when, by delaySeconds, or stop: true to cancel the wake-up that is set.',
  variants: {
    'one where there was nothing to do': { input: { ...wakeup, noop: true } },
    'one that is cancelled': {
      input: { stop: true },
      output: {
        ...{ scheduledFor: 0, clampedDelaySeconds: 0, wasClamped: false },
        ...{ stopped: true, cancelledWakeups: 1 },
      },
    },
  },
};
